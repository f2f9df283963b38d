comment on column api_key.source is null;

alter table supplier drop column source;

alter table sub_supplier drop column source;

alter table style_sku drop column source;

alter table style_relation drop column source;

alter table style_group drop column source;

alter table style_file drop column source;

alter table style_custom_field drop column source;

alter table style_color drop column source;

alter table style_category drop column source;

alter table style drop column source;

alter table size_range drop column source;

alter table season drop column source;

alter table sample_type drop column source;

alter table sample_request drop column source;

alter table price_list drop column source;

alter table item_category drop column source;

alter table item drop column source;

alter table facility drop column source;

alter table compliance_custom_field drop column source;

alter table compliance_category drop column source;

alter table color_group drop column source;

alter table color drop column source;

alter table channel drop column source;

alter table care_instruction_material drop column source;

alter table care_instruction_layer drop column source;

alter table care_instruction_icon drop column source;

alter table care_instruction drop column source;

alter table brand drop column source;

alter table barcode_range drop column source;

alter table barcode drop column source;

alter table api_key drop column source;
