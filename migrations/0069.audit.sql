-- Audit: who changed keys, webhooks and settings (contract, Audit). The entries of an organization are a chain of hashes.
create table audit_entry (
    organization_id bigint not null,
    n bigint not null,
    at timestamptz not null,
    actor text collate "C" not null,
    action text collate "C" not null,
    target text collate "C" not null,
    address text collate "C",
    details jsonb not null,
    previous_hash text collate "C" not null,
    hash text collate "C" not null,
    constraint audit_entry_pk primary key (organization_id, n),
    constraint audit_entry_organization_fk foreign key (organization_id) references organization (id)
);

create table audit_chain (
    organization_id bigint not null,
    last_n bigint not null,
    last_hash text collate "C" not null,
    cleared_n bigint not null,
    cleared_hash text collate "C" not null,
    constraint audit_chain_pk primary key (organization_id),
    constraint audit_chain_organization_fk foreign key (organization_id) references organization (id)
);

comment on table audit_entry is 'Changes of keys, webhooks and settings of an organization.';
comment on column audit_entry.n is 'Number in the chain, from 1 without gaps.';
comment on column audit_entry.actor is 'API key, or operator who ran a command.';
comment on column audit_entry.address is 'Address of the peer of the request; null for a command.';
comment on column audit_entry.hash is 'SHA-256 of previous_hash and of the RFC 8785 form of the other members.';

comment on table audit_chain is 'Both ends of the chain of an organization; its row is the lock of writers.';
comment on column audit_chain.last_n is 'Number of the newest entry.';
comment on column audit_chain.cleared_n is 'Number of the newest entry that has expired; 0 for none.';
comment on column audit_chain.cleared_hash is 'Its hash, which the oldest entry that is left names.';
