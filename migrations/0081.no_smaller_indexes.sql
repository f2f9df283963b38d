-- An index of repeated values is smaller than the primary key if equal ones are stored once. Where statistics do not know the
-- organization, the planner then takes it for look-ups by id, and reads all records of the organization for each. `reindex`
-- applies it to stored entries.
alter index care_icon_by_position set (deduplicate_items = off);

alter index care_layer_by_position set (deduplicate_items = off);

alter index channel_price_list_by_price_list set (deduplicate_items = off);

alter index color_in_group_by_group set (deduplicate_items = off);

alter index compliance_allowed_value_by_field set (deduplicate_items = off);

alter index compliance_allowed_value_by_own_key set (deduplicate_items = off);

alter index compliance_category_by_position set (deduplicate_items = off);

alter index compliance_custom_field_by_parent set (deduplicate_items = off);

alter index custom_field_brand_by_brand set (deduplicate_items = off);

alter index custom_field_group_by_group set (deduplicate_items = off);

alter index custom_field_style_category_by_style_category set (deduplicate_items = off);

alter index custom_field_value_by_field set (deduplicate_items = off);

alter index custom_field_value_by_style set (deduplicate_items = off);

alter index facility_by_owner set (deduplicate_items = off);

alter index idempotency_key_age set (deduplicate_items = off);

alter index item_by_category set (deduplicate_items = off);

alter index measurement_line_value_by_size set (deduplicate_items = off);

alter index sample_request_size_by_size set (deduplicate_items = off);

alter index sample_type_by_position set (deduplicate_items = off);

alter index season_by_position set (deduplicate_items = off);

alter index size_range_size_by_name set (deduplicate_items = off);

alter index size_range_size_by_related set (deduplicate_items = off);

alter index size_range_size_by_size_id set (deduplicate_items = off);

alter index style_allowed_value_by_field set (deduplicate_items = off);

alter index style_allowed_value_by_own_key set (deduplicate_items = off);

alter index style_allowed_value_by_parent set (deduplicate_items = off);

alter index style_by_brand set (deduplicate_items = off);

alter index style_by_category set (deduplicate_items = off);

alter index style_care_icon_by_icon set (deduplicate_items = off);

alter index style_care_instruction_by_text set (deduplicate_items = off);

alter index style_care_layer_by_layer set (deduplicate_items = off);

alter index style_care_layer_by_set set (deduplicate_items = off);

alter index style_care_material_by_material set (deduplicate_items = off);

alter index style_care_set_by_style set (deduplicate_items = off);

alter index style_color_in_season_by_season set (deduplicate_items = off);

alter index style_contact_by_style set (deduplicate_items = off);

alter index style_custom_field_by_parent set (deduplicate_items = off);

alter index style_in_group_by_style set (deduplicate_items = off);

alter index style_item_by_item set (deduplicate_items = off);

alter index style_item_by_style set (deduplicate_items = off);

alter index style_item_color_by_style_color set (deduplicate_items = off);

alter index style_item_size_by_size set (deduplicate_items = off);

alter index style_price_by_price_list set (deduplicate_items = off);

alter index style_price_by_style set (deduplicate_items = off);

alter index style_supplier_facility_by_style set (deduplicate_items = off);

alter index sub_supplier_contact_by_email set (deduplicate_items = off);

alter index sub_supplier_contact_by_owner set (deduplicate_items = off);

alter index supplier_contact_by_email set (deduplicate_items = off);

alter index supplier_contact_by_owner set (deduplicate_items = off);

alter index supplier_sub_supplier_by_linked set (deduplicate_items = off);
