comment on column writer_lock.purpose is 'What is done in turn: the collection that is written by own keys.';
comment on table writer_lock is 'Rows that writers lock so that one comes after the other.';

alter table writer_lock rename to turn;
