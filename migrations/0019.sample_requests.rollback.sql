comment on column style.measurement_unit is null;

drop index measurement_line_by_style;

drop table measurement_line_value;

alter table style drop column measurement_unit;
