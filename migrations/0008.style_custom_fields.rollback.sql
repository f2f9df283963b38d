drop table custom_field_style_category;
drop table custom_field_group;
drop table custom_field_brand;
drop table style_allowed_value;
drop table style_custom_field;
