-- What the requested values of samples are taken from: the unit and the values of a style's measurement chart.
alter table style add column measurement_unit text collate "C";

create table measurement_line_value (
    organization_id bigint not null,
    measurement_line_id bigint not null,
    size_range_size_id bigint not null,
    value numeric not null,
    constraint measurement_line_value_pk primary key (organization_id, measurement_line_id, size_range_size_id),
    constraint measurement_line_value_line_fk foreign key (organization_id, measurement_line_id) references measurement_line (organization_id, id) on delete cascade,
    constraint measurement_line_value_size_fk foreign key (organization_id, size_range_size_id) references size_range_size (organization_id, id)
);

create index measurement_line_by_style on measurement_line (organization_id, style_id, id);

comment on table measurement_line_value is 'What a line of a measurement chart asks for in a size.';

comment on column style.measurement_unit is 'The unit of the values of its measurement chart; null while none is chosen.';
