-- An identity of this database that no address changes: importers keep their maps of ids by it. A dump carries it along,
-- so a restored database is the same installation unless the operator says that it is a copy (`selvedge restore --copy`).
create table installation (
    is_only boolean not null default true,
    id uuid not null default gen_random_uuid(),
    constraint installation_pk primary key (is_only)
);

alter table installation add constraint installation_is_only_check check (is_only);

insert into installation (is_only) values (true);

comment on table installation is 'This database''s own id, in the one row that there is; every node has it.';

comment on column installation.is_only is 'Always true, so that there is one row.';

comment on column installation.id is 'Made with the table; a dump carries it along.';
