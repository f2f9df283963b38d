-- Deleted records that runs of the purge have seen: deletes themselves store no time, so that they cost nothing more.
create table deleted_record (
    organization_id bigint not null,
    collection text collate "C" not null,
    id bigint not null,
    seen_at timestamptz not null default now(),
    constraint deleted_record_pk primary key (organization_id, collection, id),
    constraint deleted_record_organization_fk foreign key (organization_id) references organization (id)
);

comment on table deleted_record is 'Deleted records that a purge removes when it has seen them for long enough.';
comment on column deleted_record.seen_at is 'Time of the first run that saw the record deleted.';
