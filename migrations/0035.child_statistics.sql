-- The migrator takes organization_id out of the statistics of all child tables. These cannot be computed without it, of
-- which every analyze would warn.

drop statistics care_instruction_material_translation_statistics;

drop statistics care_instruction_translation_statistics;

drop statistics color_in_group_statistics;

drop statistics color_language_statistics;

drop statistics compliance_allowed_value_statistics;

drop statistics compliance_custom_field_statistics;

drop statistics size_range_size_statistics;

drop statistics style_allowed_value_statistics;

drop statistics style_custom_field_statistics;

drop statistics sub_supplier_contact_statistics;
