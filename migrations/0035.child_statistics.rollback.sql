create statistics care_instruction_material_translation_statistics (dependencies) on organization_id, id from care_instruction_material_translation;

create statistics care_instruction_translation_statistics (dependencies) on organization_id, id from care_instruction_translation;

create statistics color_in_group_statistics (dependencies) on organization_id, color_id from color_in_group;

create statistics color_language_statistics (dependencies) on organization_id, color_id from color_language;

create statistics compliance_allowed_value_statistics (dependencies) on organization_id, id from compliance_allowed_value;

create statistics compliance_custom_field_statistics (dependencies) on organization_id, id from compliance_custom_field;

create statistics size_range_size_statistics (dependencies) on organization_id, id from size_range_size;

create statistics style_allowed_value_statistics (dependencies) on organization_id, id from style_allowed_value;

create statistics style_custom_field_statistics (dependencies) on organization_id, id from style_custom_field;

create statistics sub_supplier_contact_statistics (dependencies) on organization_id, id from sub_supplier_contact;
