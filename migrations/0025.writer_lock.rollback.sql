alter table writer_lock rename to turn;
