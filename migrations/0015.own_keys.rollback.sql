drop table turn;

drop index sub_supplier_by_own_key;

drop index item_category_by_own_key;

drop index care_material_by_own_key;

drop index care_instruction_by_own_key;

drop index style_custom_field_by_own_key;

drop index compliance_custom_field_by_own_key;

drop index size_range_by_own_key;

drop index style_group_by_own_key;

drop index color_by_own_key;
