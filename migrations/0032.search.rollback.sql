drop index sub_supplier_by_word;

drop index style_group_by_word;

drop index style_custom_field_by_word;

drop index style_category_by_word;

drop index style_by_word;

drop index size_range_by_word;

drop index sample_request_by_word;

drop index item_category_by_word;

drop index item_by_word;

drop index facility_by_word;

drop index compliance_custom_field_by_word;

drop index color_group_by_word;

drop index color_by_word;

drop index care_instruction_material_by_word;

drop index care_instruction_by_word;

drop index brand_by_word;

drop function search_query(bigint, text);

drop function search_vector(bigint, text[]);

drop function search_lexemes(bigint, text);

drop function search_fold(text);
