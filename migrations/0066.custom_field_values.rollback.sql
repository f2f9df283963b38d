drop table custom_field_value;
