alter index supplier_sub_supplier_by_linked reset (deduplicate_items);

alter index supplier_contact_by_owner reset (deduplicate_items);

alter index supplier_contact_by_email reset (deduplicate_items);

alter index sub_supplier_contact_by_owner reset (deduplicate_items);

alter index sub_supplier_contact_by_email reset (deduplicate_items);

alter index style_supplier_facility_by_style reset (deduplicate_items);

alter index style_price_by_style reset (deduplicate_items);

alter index style_price_by_price_list reset (deduplicate_items);

alter index style_item_size_by_size reset (deduplicate_items);

alter index style_item_color_by_style_color reset (deduplicate_items);

alter index style_item_by_style reset (deduplicate_items);

alter index style_item_by_item reset (deduplicate_items);

alter index style_in_group_by_style reset (deduplicate_items);

alter index style_custom_field_by_parent reset (deduplicate_items);

alter index style_contact_by_style reset (deduplicate_items);

alter index style_color_in_season_by_season reset (deduplicate_items);

alter index style_care_set_by_style reset (deduplicate_items);

alter index style_care_material_by_material reset (deduplicate_items);

alter index style_care_layer_by_set reset (deduplicate_items);

alter index style_care_layer_by_layer reset (deduplicate_items);

alter index style_care_instruction_by_text reset (deduplicate_items);

alter index style_care_icon_by_icon reset (deduplicate_items);

alter index style_by_category reset (deduplicate_items);

alter index style_by_brand reset (deduplicate_items);

alter index style_allowed_value_by_parent reset (deduplicate_items);

alter index style_allowed_value_by_own_key reset (deduplicate_items);

alter index style_allowed_value_by_field reset (deduplicate_items);

alter index size_range_size_by_size_id reset (deduplicate_items);

alter index size_range_size_by_related reset (deduplicate_items);

alter index size_range_size_by_name reset (deduplicate_items);

alter index season_by_position reset (deduplicate_items);

alter index sample_type_by_position reset (deduplicate_items);

alter index sample_request_size_by_size reset (deduplicate_items);

alter index measurement_line_value_by_size reset (deduplicate_items);

alter index item_by_category reset (deduplicate_items);

alter index idempotency_key_age reset (deduplicate_items);

alter index facility_by_owner reset (deduplicate_items);

alter index custom_field_value_by_style reset (deduplicate_items);

alter index custom_field_value_by_field reset (deduplicate_items);

alter index custom_field_style_category_by_style_category reset (deduplicate_items);

alter index custom_field_group_by_group reset (deduplicate_items);

alter index custom_field_brand_by_brand reset (deduplicate_items);

alter index compliance_custom_field_by_parent reset (deduplicate_items);

alter index compliance_category_by_position reset (deduplicate_items);

alter index compliance_allowed_value_by_own_key reset (deduplicate_items);

alter index compliance_allowed_value_by_field reset (deduplicate_items);

alter index color_in_group_by_group reset (deduplicate_items);

alter index channel_price_list_by_price_list reset (deduplicate_items);

alter index care_layer_by_position reset (deduplicate_items);

alter index care_icon_by_position reset (deduplicate_items);
