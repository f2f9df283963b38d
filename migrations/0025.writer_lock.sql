-- The table is named after what it holds: rows that writers by own keys lock.
alter table turn rename to writer_lock;
