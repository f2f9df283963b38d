alter table custom_field_brand alter column organization_id set statistics -1;

alter table custom_field_group alter column organization_id set statistics -1;

alter table custom_field_style_category alter column organization_id set statistics -1;

alter table measurement_line_value alter column organization_id set statistics -1;

alter table sample_request_measurement alter column organization_id set statistics -1;

alter table sample_request_size alter column organization_id set statistics -1;

alter table style_in_group alter column organization_id set statistics -1;
