-- Order of sizes and lines as callers send it. Equal positions are in order of id, so stored rows keep their order.
alter table size_range_size add column position bigint not null default 0;

alter table measurement_line add column position bigint not null default 0;

comment on column size_range_size.position is 'Order within the size range; of equal ones, the lower id is first.';
comment on column measurement_line.position is 'Order within the chart; of equal ones, the lower id is first.';
