-- Sources: the system that created a record, by the source of its API key; null for records of before.
alter table api_key add column source text collate "C";

alter table barcode add column source text collate "C";

alter table barcode_range add column source text collate "C";

alter table brand add column source text collate "C";

alter table care_instruction add column source text collate "C";

alter table care_instruction_icon add column source text collate "C";

alter table care_instruction_layer add column source text collate "C";

alter table care_instruction_material add column source text collate "C";

alter table channel add column source text collate "C";

alter table color add column source text collate "C";

alter table color_group add column source text collate "C";

alter table compliance_category add column source text collate "C";

alter table compliance_custom_field add column source text collate "C";

alter table facility add column source text collate "C";

alter table item add column source text collate "C";

alter table item_category add column source text collate "C";

alter table price_list add column source text collate "C";

alter table sample_request add column source text collate "C";

alter table sample_type add column source text collate "C";

alter table season add column source text collate "C";

alter table size_range add column source text collate "C";

alter table style add column source text collate "C";

alter table style_category add column source text collate "C";

alter table style_color add column source text collate "C";

alter table style_custom_field add column source text collate "C";

alter table style_file add column source text collate "C";

alter table style_group add column source text collate "C";

alter table style_relation add column source text collate "C";

alter table style_sku add column source text collate "C";

alter table sub_supplier add column source text collate "C";

alter table supplier add column source text collate "C";

comment on column api_key.source is 'System that uses the key, of which its new records are; null for the id as text.';
