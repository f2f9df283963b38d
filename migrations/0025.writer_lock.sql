-- The table is named after what it is: rows that writers by own keys lock.
alter table turn rename to writer_lock;

comment on table writer_lock is 'Rows that writers by own keys lock, one for each collection of an organization.';
comment on column writer_lock.purpose is 'The collection that is written by own keys.';
