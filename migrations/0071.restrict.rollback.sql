alter table style_supplier_facility drop constraint style_supplier_facility_supplier_fk;

alter table style_supplier_facility add constraint style_supplier_facility_supplier_fk foreign key (organization_id, supplier_id)
    references supplier (organization_id, id) not valid;

alter table style_supplier_facility drop constraint style_supplier_facility_sub_supplier_fk;

alter table style_supplier_facility add constraint style_supplier_facility_sub_supplier_fk foreign key (organization_id, sub_supplier_id)
    references sub_supplier (organization_id, id) not valid;

alter table style_supplier_facility drop constraint style_supplier_facility_facility_fk;

alter table style_supplier_facility add constraint style_supplier_facility_facility_fk foreign key (organization_id, facility_id)
    references facility (organization_id, id) not valid;

alter table style_sku drop constraint style_sku_style_fk;

alter table style_sku add constraint style_sku_style_fk foreign key (organization_id, style_id)
    references style (organization_id, id) not valid;

alter table style_sku drop constraint style_sku_style_color_fk;

alter table style_sku add constraint style_sku_style_color_fk foreign key (organization_id, style_color_id)
    references style_color (organization_id, id) not valid;

alter table style_sku drop constraint style_sku_size_fk;

alter table style_sku add constraint style_sku_size_fk foreign key (organization_id, size_range_size_id)
    references size_range_size (organization_id, id) not valid;

alter table style_sku drop constraint style_sku_color_fk;

alter table style_sku add constraint style_sku_color_fk foreign key (organization_id, color_id)
    references color (organization_id, id) not valid;

alter table style_relation drop constraint style_relation_style_fk;

alter table style_relation add constraint style_relation_style_fk foreign key (organization_id, style_id)
    references style (organization_id, id) not valid;

alter table style_relation drop constraint style_relation_related_fk;

alter table style_relation add constraint style_relation_related_fk foreign key (organization_id, related_style_id)
    references style (organization_id, id) not valid;

alter table style_price drop constraint style_price_size_fk;

alter table style_price add constraint style_price_size_fk foreign key (organization_id, size_range_size_id)
    references size_range_size (organization_id, id) not valid;

alter table style_item_size drop constraint style_item_size_size_fk;

alter table style_item_size add constraint style_item_size_size_fk foreign key (organization_id, size_range_size_id)
    references size_range_size (organization_id, id) not valid;

alter table style_item_color drop constraint style_item_color_item_fk;

alter table style_item_color add constraint style_item_color_item_fk foreign key (organization_id, item_id)
    references item (organization_id, id) not valid;

alter table style_item_color drop constraint style_item_color_color_fk;

alter table style_item_color add constraint style_item_color_color_fk foreign key (organization_id, color_id)
    references color (organization_id, id) not valid;

alter table style_item drop constraint style_item_supplier_fk;

alter table style_item add constraint style_item_supplier_fk foreign key (organization_id, supplier_id)
    references supplier (organization_id, id) not valid;

alter table style_item drop constraint style_item_layer_fk;

alter table style_item add constraint style_item_layer_fk foreign key (organization_id, care_instruction_layer_id)
    references care_instruction_layer (organization_id, id) not valid;

alter table style_item drop constraint style_item_item_fk;

alter table style_item add constraint style_item_item_fk foreign key (organization_id, item_id)
    references item (organization_id, id) not valid;

alter table style_in_group drop constraint style_in_group_style_fk;

alter table style_in_group add constraint style_in_group_style_fk foreign key (organization_id, style_id)
    references style (organization_id, id) not valid;

alter table style_in_group drop constraint style_in_group_group_fk;

alter table style_in_group add constraint style_in_group_group_fk foreign key (organization_id, group_id)
    references style_group (organization_id, id) not valid;

alter table style_file drop constraint style_file_style_fk;

alter table style_file add constraint style_file_style_fk foreign key (organization_id, style_id)
    references style (organization_id, id) not valid;

alter table style_file drop constraint style_file_color_fk;

alter table style_file add constraint style_file_color_fk foreign key (organization_id, style_color_id)
    references style_color (organization_id, id) not valid;

alter table style_color_in_season drop constraint style_color_in_season_season_fk;

alter table style_color_in_season add constraint style_color_in_season_season_fk foreign key (organization_id, season_id)
    references season (organization_id, id) not valid;

alter table style_color_in_season drop constraint style_color_in_season_owner_fk;

alter table style_color_in_season add constraint style_color_in_season_owner_fk foreign key (organization_id, style_color_id)
    references style_color (organization_id, id) not valid;

alter table style_color drop constraint style_color_style_fk;

alter table style_color add constraint style_color_style_fk foreign key (organization_id, style_id)
    references style (organization_id, id) not valid;

alter table style_color drop constraint style_color_color_fk;

alter table style_color add constraint style_color_color_fk foreign key (organization_id, color_id)
    references color (organization_id, id) not valid;

alter table style_care_material drop constraint style_care_material_material_fk;

alter table style_care_material add constraint style_care_material_material_fk foreign key (organization_id, care_instruction_material_id)
    references care_instruction_material (organization_id, id) not valid;

alter table style_care_layer drop constraint style_care_layer_layer_fk;

alter table style_care_layer add constraint style_care_layer_layer_fk foreign key (organization_id, care_instruction_layer_id)
    references care_instruction_layer (organization_id, id) not valid;

alter table style_care_icon drop constraint style_care_icon_icon_fk;

alter table style_care_icon add constraint style_care_icon_icon_fk foreign key (organization_id, care_instruction_icon_id)
    references care_instruction_icon (organization_id, id) not valid;

alter table style drop constraint style_supplier_fk;

alter table style add constraint style_supplier_fk foreign key (organization_id, supplier_id)
    references supplier (organization_id, id) not valid;

alter table style drop constraint style_size_range_fk;

alter table style add constraint style_size_range_fk foreign key (organization_id, size_range_id)
    references size_range (organization_id, id) not valid;

alter table style drop constraint style_season_fk;

alter table style add constraint style_season_fk foreign key (organization_id, season_id)
    references season (organization_id, id) not valid;

alter table style drop constraint style_category_fk;

alter table style add constraint style_category_fk foreign key (organization_id, style_category_id)
    references style_category (organization_id, id) not valid;

alter table style drop constraint style_brand_fk;

alter table style add constraint style_brand_fk foreign key (organization_id, brand_id)
    references brand (organization_id, id) not valid;

alter table sample_request_size drop constraint sample_request_size_size_fk;

alter table sample_request_size add constraint sample_request_size_size_fk foreign key (organization_id, size_range_size_id)
    references size_range_size (organization_id, id) not valid;

alter table sample_request_measurement drop constraint sample_request_measurement_line_fk;

alter table sample_request_measurement add constraint sample_request_measurement_line_fk foreign key (organization_id, measurement_line_id)
    references measurement_line (organization_id, id) not valid;

alter table sample_request drop constraint sample_request_type_fk;

alter table sample_request add constraint sample_request_type_fk foreign key (organization_id, sample_type_id)
    references sample_type (organization_id, id) not valid;

alter table sample_request drop constraint sample_request_style_fk;

alter table sample_request add constraint sample_request_style_fk foreign key (organization_id, style_id)
    references style (organization_id, id) not valid;

alter table price_list drop constraint price_list_supplier_fk;

alter table price_list add constraint price_list_supplier_fk foreign key (organization_id, supplier_id)
    references supplier (organization_id, id) not valid;

alter table measurement_line_value drop constraint measurement_line_value_size_fk;

alter table measurement_line_value add constraint measurement_line_value_size_fk foreign key (organization_id, size_range_size_id)
    references size_range_size (organization_id, id) not valid;

alter table measurement_line drop constraint measurement_line_style_fk;

alter table measurement_line add constraint measurement_line_style_fk foreign key (organization_id, style_id)
    references style (organization_id, id) not valid;

alter table item drop constraint item_supplier_fk;

alter table item add constraint item_supplier_fk foreign key (organization_id, supplier_id)
    references supplier (organization_id, id) not valid;

alter table item drop constraint item_category_fk;

alter table item add constraint item_category_fk foreign key (organization_id, item_category_id)
    references item_category (organization_id, id) not valid;

alter table item drop constraint item_brand_fk;

alter table item add constraint item_brand_fk foreign key (organization_id, brand_id)
    references brand (organization_id, id) not valid;

alter table custom_field_value drop constraint custom_field_value_size_fk;

alter table custom_field_value add constraint custom_field_value_size_fk foreign key (organization_id, size_range_size_id)
    references size_range_size (organization_id, id) not valid;

alter table custom_field_style_category drop constraint custom_field_style_category_style_category_fk;

alter table custom_field_style_category add constraint custom_field_style_category_style_category_fk foreign key (organization_id, style_category_id)
    references style_category (organization_id, id) not valid;

alter table custom_field_group drop constraint custom_field_group_group_fk;

alter table custom_field_group add constraint custom_field_group_group_fk foreign key (organization_id, group_id)
    references style_group (organization_id, id) not valid;

alter table custom_field_brand drop constraint custom_field_brand_brand_fk;

alter table custom_field_brand add constraint custom_field_brand_brand_fk foreign key (organization_id, brand_id)
    references brand (organization_id, id) not valid;

alter table color_in_group drop constraint color_in_group_group_fk;

alter table color_in_group add constraint color_in_group_group_fk foreign key (organization_id, color_group_id)
    references color_group (organization_id, id) not valid;

alter table channel_price_list drop constraint channel_price_list_price_list_fk;

alter table channel_price_list add constraint channel_price_list_price_list_fk foreign key (organization_id, price_list_id)
    references price_list (organization_id, id) not valid;

alter table barcode_range drop constraint barcode_range_brand_fk;

alter table barcode_range add constraint barcode_range_brand_fk foreign key (organization_id, brand_id)
    references brand (organization_id, id) not valid;

alter table barcode drop constraint barcode_style_sku_fk;

alter table barcode add constraint barcode_style_sku_fk foreign key (organization_id, style_sku_id)
    references style_sku (organization_id, id) not valid;

alter table barcode drop constraint barcode_range_fk;

alter table barcode add constraint barcode_range_fk foreign key (organization_id, barcode_range_id)
    references barcode_range (organization_id, id) not valid;
