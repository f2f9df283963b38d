comment on column measurement_line.position is null;
comment on column size_range_size.position is null;
alter table measurement_line drop column position;
alter table size_range_size drop column position;
