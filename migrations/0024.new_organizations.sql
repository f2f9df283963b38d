-- With values of organization_id in the statistics an organization that they do not have seems to have no rows. Then all
-- indexes that begin with it look alike, and look-ups by several keys read all rows of the organization. Without them
-- PostgreSQL takes every organization for 1/200 of the table as large as it is now, and the index with the most keys wins.
-- Link tables alone: others have extended statistics, which need those of the column.
alter table custom_field_brand alter column organization_id set statistics 0;

alter table custom_field_group alter column organization_id set statistics 0;

alter table custom_field_style_category alter column organization_id set statistics 0;

alter table measurement_line_value alter column organization_id set statistics 0;

alter table sample_request_measurement alter column organization_id set statistics 0;

alter table sample_request_size alter column organization_id set statistics 0;

alter table style_in_group alter column organization_id set statistics 0;
