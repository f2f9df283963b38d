-- Record versions: what records were before each change (contract, History). The primary key is the only index: versions are
-- read by record, and expire by the ids in the change.
create table record_version (
    organization_id bigint not null,
    collection text collate "C" not null,
    record_id bigint not null,
    part_id bigint not null,
    version bigint not null,
    change_id bigint not null,
    form text collate "C",
    erased boolean not null default false,
    constraint record_version_pk primary key (organization_id, collection, record_id, part_id, version)
);

comment on table record_version is 'Writable forms of records and parts before the changes of them.';
comment on column record_version.collection is 'Collection of the record in the change feed.';
comment on column record_version.record_id is 'Id of the record, of a part that of its owner.';
comment on column record_version.part_id is 'Price list or requested size of a part that an owner has several of; else 0.';
comment on column record_version.version is 'Number among the versions of the record or part, from 1 without gaps.';
comment on column record_version.change_id is 'Change that the form was before.';
comment on column record_version.form is 'Bytes of the writable form; null before a create, and if erased.';
comment on column record_version.erased is 'Whether the form was erased.';

alter table change add column without_versions text[] collate "C";

create index change_without_versions on change (organization_id, n)
    where without_versions is distinct from '{}';

comment on column change.without_versions is
    'Collections of which it kept no versions; null for all: history begins after the last such change.';
