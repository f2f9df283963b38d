drop table compliance_allowed_value;
drop table compliance_custom_field;
