-- exports: SQL statements as they are sent; only line breaks and indents differ.

-- exports.export_compliance_custom_fields: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"compliance-custom-fields","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        with record as (
            select f.*, parent.name as parent_custom_field_name
            from compliance_custom_field f
            left join compliance_custom_field parent
                on parent.organization_id = $1::bigint and parent.id = f.parent_custom_field_id
            where f.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        ),
        allowed_values as (
            select
                v.custom_field_id,
                string_agg(
                    '{"id":' || v.id
                    || ',"value":' || to_json(v.value)
                    || coalesce(',"userDefinedId":' || to_json(v.user_defined_id), '')
                    || ',"properties":[]}',
                    ',' order by case when not page.is_sort_by_allowed_value_id then v.value end, v.id
                ) as documents
            from compliance_allowed_value v
            join page on page.id = v.custom_field_id
            where v.organization_id = $1::bigint and v.custom_field_id = any(array(select id from page))
            group by v.custom_field_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"userDefinedId":'
                || coalesce(to_json(user_defined_id)::text, 'null') || ',"type":"' || type || '","state":"'
                || state || '","position":' || position::text || ',"internalOnly":' || internal_only::text
                || ',"isMandatory":' || is_mandatory::text || ',"isMultiLine":' || is_multi_line::text
                || ',"isSortByAllowedValueId":' || is_sort_by_allowed_value_id::text || ',"maxChar":'
                || coalesce(max_char::text, 'null') || ',"allowedDecimals":'
                || coalesce(allowed_decimals::text, 'null') || ',"parentCustomFieldId":'
                || coalesce(parent_custom_field_id::text, 'null')
                || coalesce(',"parentCustomFieldName":' || to_json(parent_custom_field_name)::text, '')
            || ',"allowedValues":[' || coalesce(v.documents, '')
            || '],"properties":[]}' as document
        from page
        left join allowed_values v on v.custom_field_id = page.id
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"compliance-custom-fields","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_style_custom_fields: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"style-custom-fields","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        with record as (
            select f.*, parent.name as parent_custom_field_name
            from style_custom_field f
            left join style_custom_field parent
                on parent.organization_id = $1::bigint and parent.id = f.parent_custom_field_id
            where f.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        ),
        allowed_values as (
            select
                v.custom_field_id,
                string_agg(
                    '{"id":' || v.id
                    || ',"value":' || to_json(v.value)
                    || coalesce(',"userDefinedId":' || to_json(v.user_defined_id), '')
                    || coalesce(',"parentAllowedValueId":' || v.parent_allowed_value_id, '')
                    || ',"properties":[]}',
                    ',' order by
                        case when page.is_sort_by_allowed_value_id then v.user_defined_id else v.value end,
                            v.id
                ) as documents
            from style_allowed_value v
            join page on page.id = v.custom_field_id
            where v.organization_id = $1::bigint and v.custom_field_id = any(array(select id from page))
            group by v.custom_field_id
        ),
        brands as (
            -- Part of the documents and writables of style custom fields.
            select
                stored.custom_field_id,
                string_agg('{"id":' || t.id || ',"name":' || to_json(t.name) || '}', ','
                    order by t.id) as documents
            from custom_field_brand stored
            join brand t on t.organization_id = $1::bigint and t.id = stored.brand_id
            where stored.organization_id = $1::bigint
                and stored.custom_field_id = any(array(select id from page))
            group by stored.custom_field_id
        ),
        groups as (
            -- Part of the documents and writables of style custom fields.
            select
                stored.custom_field_id,
                string_agg('{"id":' || t.id || ',"name":' || to_json(t.name) || '}', ','
                    order by t.id) as documents
            from custom_field_group stored
            join style_group t on t.organization_id = $1::bigint and t.id = stored.group_id
            where stored.organization_id = $1::bigint
                and stored.custom_field_id = any(array(select id from page))
            group by stored.custom_field_id
        ),
        categories as (
            -- Part of the documents and writables of style custom fields.
            select
                stored.custom_field_id,
                string_agg('{"id":' || t.id || ',"name":' || to_json(t.name) || '}', ','
                    order by t.id) as documents
            from custom_field_style_category stored
            join style_category t on t.organization_id = $1::bigint and t.id = stored.style_category_id
            where stored.organization_id = $1::bigint
                and stored.custom_field_id = any(array(select id from page))
            group by stored.custom_field_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"name":' || to_json(name)::text
                || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '') || ',"type":"' || type
                || '","state":"' || state || '","position":' || position::text || ',"internalOnly":'
                || internal_only::text || ',"isMandatory":' || is_mandatory::text || ',"isSupplierEditable":'
                || is_supplier_editable::text || ',"isMultiLine":' || is_multi_line::text
                || ',"isSortByAllowedValueId":' || is_sort_by_allowed_value_id::text || ',"diffPerColor":'
                || diff_per_color::text || ',"diffPerSize":' || diff_per_size::text
                || ',"useInThumbnailViewGroupBy":' || use_in_thumbnail_view_group_by::text || ',"maxChar":'
                || coalesce(max_char::text, 'null')
                || coalesce(',"allowedDecimals":' || allowed_decimals::text, '')
                || ',"numericVariantCalculationFormula":"' || numeric_variant_calculation_formula || '"'
                || coalesce(',"parentCustomFieldId":' || parent_custom_field_id::text, '')
                || coalesce(',"parentCustomFieldName":' || to_json(parent_custom_field_name)::text, '')
            || ',"allowedValues":[' || coalesce(v.documents, '')
            || '],"associatedBrands":[' || coalesce(b.documents, '')
            || '],"associatedGroups":[' || coalesce(g.documents, '')
            || '],"associatedStyleCategories":[' || coalesce(c.documents, '')
            || '],"properties":[]}' as document
        from page
        left join allowed_values v on v.custom_field_id = page.id
        left join brands b on b.custom_field_id = page.id
        left join groups g on g.custom_field_id = page.id
        left join categories c on c.custom_field_id = page.id
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"style-custom-fields","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_care_instructions: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"care-instructions","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        with record as (
            select t.* from care_instruction t where t.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        ),
        translation as (
            select
                care_instruction_id as owner_id,
                string_agg(
                    '{"id":' || id || ',"languageId":' || language_id || ',"text":' || to_json(text) || '}',
                    ',' order by language_id
                ) as documents
            from care_instruction_translation
            where organization_id = $1::bigint and care_instruction_id = any(array(select id from page))
            group by care_instruction_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '')
                || ',"text":' || to_json(text)::text || ',"state":"' || state || '","position":'
                || position::text
            || ',"properties":[],"languages":[' || coalesce(translation.documents, '') || ']}' as document
        from page
        left join translation on translation.owner_id = page.id
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"care-instructions","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_care_instruction_materials: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"care-instruction-materials","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        with record as (
            select t.* from care_instruction_material t where t.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        ),
        translation as (
            select
                care_instruction_material_id as owner_id,
                string_agg(
                    '{"id":' || id || ',"languageId":' || language_id || ',"text":' || to_json(text) || '}',
                    ',' order by language_id
                ) as documents
            from care_instruction_material_translation
            where organization_id = $1::bigint
                and care_instruction_material_id = any(array(select id from page))
            group by care_instruction_material_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '')
                || ',"text":' || to_json(text)::text || ',"state":"' || state || '","position":'
                || position::text
            || ',"properties":[],"languages":[' || coalesce(translation.documents, '') || ']}' as document
        from page
        left join translation on translation.owner_id = page.id
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"care-instruction-materials","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_groups: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"groups","document":' || document || E'}\n', '' order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        -- Documents or writables.
        with record as (
            select
            g.*,
            (
                select count(*)
                from style_in_group l
                join style s on s.organization_id = $1::bigint and s.id = l.style_id
                where l.organization_id = $1::bigint and l.group_id = g.id and s.state <> 'deleted'
            ) as used_in_styles
            from style_group g
            where g.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        )
        select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text
            || ',"userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null') || ',"state":"'
            || state || '","properties":[],"usedInStyles":' || used_in_styles::text || ',"beginDate":"'
            || to_char(begin_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || coalesce(',"endDate":"'
                || to_char(end_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"', '')
            || '}' as document
        from page
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"groups","document":' || document || E'}\n', '' order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_colors: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"colors","document":' || document || E'}\n', '' order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        with record as (
            select c.* from color c where c.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        ),
        group_link as materialized (
            select color_id, color_group_id
            from color_in_group
            where organization_id = $1::bigint and color_id = any(array(select id from page))
        ),
        group_document as materialized (
            select
                id,
                '{"id":' || id
                || ',"name":' || to_json(name)
                || coalesce(',"userDefinedId":' || to_json(user_defined_id), '')
                || ',"state":"' || state || '"}' as document
            from color_group
            where organization_id = $1::bigint
                and id = any(array(select distinct color_group_id from group_link))
        ),
        color_groups as (
            select l.color_id, string_agg(g.document, ',' order by g.id) as documents
            from group_link l
            join group_document g on g.id = l.color_group_id
            group by l.color_id
        ),
        language_link as materialized (
            select color_id, language_id, color_name
            from color_language
            where organization_id = $1::bigint and color_id = any(array(select id from page))
        ),
        language_document as materialized (
            select
                id,
                '{"languageId":' || id
                || ',"languageName":' || to_json(name)
                || ',"languageCode":' || to_json(code)
                || ',"colorName":' as document
            from language
            where id = any(array(select distinct language_id from language_link))
        ),
        color_languages as (
            select
                l.color_id,
                string_agg(d.document || to_json(coalesce(l.color_name, page.name)) || '}', ','
                    order by d.id) as documents
            from language_link l
            join language_document d on d.id = l.language_id
            join page on page.id = l.color_id
            group by l.color_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"userDefinedId":'
                || coalesce(to_json(user_defined_id)::text, 'null') || ',"userDefinedId2":'
                || coalesce(to_json(user_defined_id2)::text, 'null') || ',"colorReference":'
                || coalesce(to_json(color_reference)::text, 'null') || ',"colorNote":'
                || coalesce(to_json(color_note)::text, 'null') || ',"state":"' || state || '"'
            || ',"colorGroups":[' || coalesce(g.documents, '')
            || '],"languageNames":[' || coalesce(l.documents, '')
            || '],"properties":[]}' as document
        from page
        left join color_groups g on g.color_id = page.id
        left join color_languages l on l.color_id = page.id
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"colors","document":' || document || E'}\n', '' order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_size_ranges: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"size-ranges","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        with record as (
            select
                r.organization_id,
                r.id,
                r.name,
                r.user_defined_id,
                r.state,
                r.is_advanced_grading and o.pro as is_advanced_grading,
                r.is_default,
                r.default_grading_size_id,
                s.name as default_grading_size_name
            from size_range r
            join organization o on o.id = $1::bigint
            left join size_range_size s on s.organization_id = $1::bigint and s.id = r.default_grading_size_id
            where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        ),
        sizes as materialized (
            select
                size_range_id,
                string_agg(
                    '{"id":' || id
                    || ',"name":' || to_json(name)
                    || coalesce(',"sizeId":' || to_json(size_id), '')
                    || coalesce(',"relatedSizeRangeSizeId":' || related_size_range_size_id, '')
                    || coalesce(',"gradingGroupId":' || grading_group_id, '') || '}',
                    ',' order by id
                ) as documents
            from size_range_size
            where organization_id = $1::bigint and size_range_id = any(array(select id from page))
                and not is_deactivated
            group by size_range_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"name":' || to_json(name)::text || ',"state":"' || state
                || '","userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null')
                || ',"isAdvancedGrading":' || is_advanced_grading::text || ',"isDefault":' || is_default::text
                || coalesce(',"defaultGradingSizeId":' || default_grading_size_id::text, '')
                || coalesce(',"defaultGradingSizeName":' || to_json(default_grading_size_name)::text, '')
            || ',"sizes":[' || coalesce(sizes.documents, '') || '],"properties":[]}' as document
        from page
        left join sizes on sizes.size_range_id = page.id
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"size-ranges","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_item_categories: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"item-categories","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        -- Documents or writables.
        with record as (
            select
            c.*,
            (
                select count(*) from item i
                where i.organization_id = $1::bigint and i.item_category_id = c.id and i.state <> 'deleted'
            ) as used_in_items
            from item_category c
            where c.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        )
        select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text
            || ',"state":"' || state || '","usedInItems":' || used_in_items::text || ',"beginDate":"'
            || to_char(begin_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || coalesce(',"endDate":"'
                || to_char(end_date at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"', '')
            || ',"properties":[]}' as document
        from page
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"item-categories","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_sub_suppliers: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"sub-suppliers","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        with record as (
            select
                s.*,
                (
                    upper(left(s.relation_type, 1) collate "default")
                    || translate(substr(s.relation_type, 2), '_-', '  ')
                ) collate "C" as relation_type_name,
                c.name as country_name,
                (
                    select count(*) from facility f
                    where f.organization_id = $1::bigint and f.sub_supplier_id = s.id
                        and f.state <> 'deleted'
                ) as facility_count
            from sub_supplier s
            left join country c on c.code = s.country_code
            where s.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        ),
        contacts as (
            select
                k.sub_supplier_id,
                string_agg(
                    '{"id":' || k.id
                    || coalesce(',"firstName":' || to_json(k.first_name), '')
                    || coalesce(',"lastName":' || to_json(k.last_name), '')
                    || coalesce(',"email":' || to_json(k.email), '')
                    || coalesce(',"phone":' || to_json(k.phone), '')
                    || coalesce(',"role":' || to_json(k.role), '')
                    || coalesce(',"faxNumber":' || to_json(k.fax_number), '')
                    || coalesce(',"countryCode":' || to_json(k.country_code), '')
                    || coalesce(',"countryName":' || to_json(c.name), '')
                    || ',"properties":[]}',
                    ',' order by k.id
                ) as documents
            from sub_supplier_contact k
            left join country c on c.code = k.country_code
            where k.organization_id = $1::bigint and k.sub_supplier_id = any(array(select id from page))
                and not k.deleted_with_sub_supplier
            group by k.sub_supplier_id
        )
        select
            page_order,
            sort_values,
            '{"id":"' || id || '","organizationId":' || organization_id::text || ',"name":'
                || to_json(name)::text || coalesce(',"customId":' || to_json(custom_id)::text, '')
                || coalesce(',"relationType":' || to_json(relation_type)::text, '')
                || coalesce(',"relationTypeName":' || to_json(relation_type_name)::text, '')
                || coalesce(',"address":' || to_json(address)::text, '')
                || coalesce(',"zipCode":' || to_json(zip_code)::text, '')
                || coalesce(',"city":' || to_json(city)::text, '')
                || coalesce(',"stateOrRegion":' || to_json(state_or_region)::text, '')
                || coalesce(',"countryCode":' || to_json(country_code)::text, '')
                || coalesce(',"countryName":' || to_json(country_name)::text, '')
                || coalesce(',"webSite":' || to_json(web_site)::text, '')
                || coalesce(',"vatNumber":' || to_json(vat_number)::text, '')
                || coalesce(',"mid":' || to_json(mid)::text, '')
                || coalesce(',"avatarColor":' || to_json(avatar_color)::text, '')
                || coalesce(',"processingTypes":' || to_json(processing_types)::text, '')
                || coalesce(',"latitude":' || to_json(latitude)::text, '')
                || coalesce(',"longitude":' || to_json(longitude)::text, '') || ',"facilityCount":'
                || facility_count::text || ',"state":"' || state || '","createdAt":"'
                || to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || ',"contacts":[' || coalesce(contacts.documents, '') || ']}' as document
        from page
        left join contacts on contacts.sub_supplier_id = page.id
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"sub-suppliers","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_facilities: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"facilities","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        -- Documents or writables.
        with record as (
            select r.* from facility r where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        )
        select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text
            || ',"subSupplierId":"' || sub_supplier_id || '","state":"' || state || '"}' as document
        from page
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"facilities","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_brands: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"brands","document":' || document || E'}\n', '' order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        -- Documents or writables.
        with record as (
            select r.* from brand r where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        )
        select page_order, sort_values, '{"id":' || id::text
            || coalesce(',"customId":' || to_json(custom_id)::text, '') || ',"name":' || to_json(name)::text
            || ',"state":"' || state || '"}' as document
        from page
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"brands","document":' || document || E'}\n', '' order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_color_groups: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"color-groups","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        -- Documents or writables.
        with record as (
            select r.* from color_group r where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        )
        select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text
            || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '') || ',"state":"' || state
            || '"}' as document
        from page
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"color-groups","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_style_categories: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"style-categories","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        -- Documents or writables.
        with record as (
            select r.* from style_category r where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        )
        select page_order, sort_values, '{"id":' || id::text || ',"name":' || to_json(name)::text
            || coalesce(',"userDefinedId":' || to_json(user_defined_id)::text, '') || ',"state":"' || state
            || '"}' as document
        from page
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"style-categories","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_items: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"items","document":' || document || E'}\n', '' order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        -- Documents or writables.
        with record as (
            select r.* from item r where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        )
        select page_order, sort_values, '{"id":' || id::text || ',"number":' || to_json(number)::text
            || ',"name":' || to_json(name)::text
            || coalesce(',"itemCategoryId":' || item_category_id::text, '') || ',"state":"' || state
            || '"}' as document
        from page
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"items","document":' || document || E'}\n', '' order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_styles: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"styles","document":' || document || E'}\n', '' order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        -- Documents or writables.
        with record as (
            select r.* from style r where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted'
            order by record.id limit 500
        )
        select page_order, sort_values, '{"id":' || id::text || ',"number":' || to_json(number)::text
            || ',"name":' || to_json(name)::text || coalesce(',"brandId":' || brand_id::text, '')
            || coalesce(',"styleCategoryId":' || style_category_id::text, '') || ',"groupIds":['
            || coalesce(group_ids, '') || '],"state":"' || state || '"}' as document
        from page
        -- Part of documents and writables: the groups of each style.
        left join lateral (
            select string_agg(stored.group_id::text, ',' order by stored.group_id) as group_ids
            from style_in_group stored
            where stored.organization_id = $1::bigint and stored.style_id = page.id
        ) as linked on true
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"styles","document":' || document || E'}\n', '' order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_style_relations: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"style-relations","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        with record as (
            select
                r.*,
                s.number as related_style_number,
                s.name as related_style_name
            from style_relation r
            join style s on s.organization_id = $1::bigint and s.id = r.related_style_id
            where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint
            order by record.id limit 500
        )
        select
            page_order,
            sort_values,
            concat(
                '{"id":', id,
                ',"styleId":', style_id,
                ',"relatedStyleId":', related_style_id,
                ',"relatedStyleNumber":', to_json(related_style_number),
                ',"relatedStyleName":', to_json(related_style_name),
                '}'
            ) as document
        from page
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"style-relations","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_sample_requests: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"sample-requests","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        -- The offset makes the planner look up sizes request by request. Without it, a plan may read those of all requests.
        with record as (
            select r.* from sample_request r where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint
            order by record.id limit 500
        ),
        sizes as materialized (
            select
                requested.sample_request_id,
                string_agg(
                    '{"sizeRangeSizeId":' || s.id || ',"sizeRangeSizeName":' || to_json(s.name) || '}', ','
                        order by s.id
                ) as documents
            from page
            cross join lateral (
                select stored.sample_request_id, stored.size_range_size_id
                from sample_request_size stored
                where stored.organization_id = $1::bigint and stored.sample_request_id = page.id
                offset 0
            ) as requested
            cross join lateral (
                select size.id, size.name
                from size_range_size size
                where size.organization_id = $1::bigint and size.id = requested.size_range_size_id
                offset 0
            ) as s
            group by requested.sample_request_id
        )
        select
            page_order,
            sort_values,
            '{"id":' || id::text || ',"styleId":' || style_id::text || ',"name":' || to_json(name)::text
                || ',"unit":' || coalesce(to_json(unit)::text, 'null') || ',"requestedAt":"'
                || to_char(requested_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || '"'
            || ',"sizes":[' || coalesce(sizes.documents, '') || ']}' as document
        from page
        left join sizes on sizes.sample_request_id = page.id
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"sample-requests","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_size_range_sizes: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"size-range-sizes","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        -- Null members are left out of documents; writables have them.
        with record as (
            select r.id, r.id as size_range_id, r.state, r.default_grading_size_id
            from size_range r
            where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted' and exists (
                select 1 from size_range_size part
                where part.organization_id = $1::bigint and part.size_range_id = record.id
            )
            order by record.id limit 500
        ),
        sizes as (
            select
                size.size_range_id,
                string_agg(
                    '{"id":' || size.id
                    || ',"name":' || to_json(size.name)
                    || coalesce(',"sizeId":' || to_json(size.size_id)::text, '')
                        || coalesce(',"relatedSizeRangeSizeId":' || size.related_size_range_size_id::text, '')
                        || coalesce(',"gradingGroupId":' || size.grading_group_id::text, '')
                    || ',"isDefaultGrading":' || (page.default_grading_size_id is not distinct from size.id)
                    || ',"isDeactivated":' || size.is_deactivated || '}',
                    ',' order by size.id
                ) as documents
            from size_range_size size
            join page on page.id = size.size_range_id
            where size.organization_id = $1::bigint and size.size_range_id = any(array(select id from page))
            group by size.size_range_id
        )
        select page_order, sort_values, '{"sizeRangeId":' || page.id || ',"sizes":' || '['
            || coalesce(sizes.documents, '') || ']' || '}' as document
        from page
        left join sizes on sizes.size_range_id = page.id
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"size-range-sizes","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_color_translations: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"color-translations","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        with record as (
            select c.id, c.id as color_id, c.state from color c where c.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted' and exists (
                select 1 from color_language part
                where part.organization_id = $1::bigint and part.color_id = record.id
            )
            order by record.id limit 500
        )
        select page_order, sort_values, '{"colorId":' || page.id || ',"translations":' || '['
            || coalesce(linked.documents, '') || ']' || '}' as document
        from page
        left join lateral (
            -- Part of documents and writables.
            select string_agg(
                '{"languageId":' || stored.language_id
                || ',"colorName":' || coalesce(to_json(stored.color_name)::text, 'null') || '}',
                ',' order by stored.language_id
            ) as documents
            from color_language stored
            where stored.organization_id = $1::bigint and stored.color_id = page.id
        ) as linked on true
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"color-translations","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_measurement_charts: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"measurement-charts","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        -- The offset makes the planner look up the values line by line. Without it, a plan may read those of all lines.
        with record as (
            select s.id, s.id as style_id, s.state, s.measurement_unit, s.measurement_unit as unit
            from style s
            where s.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and record.state <> 'deleted' and (
                record.measurement_unit is not null
                or exists (
                    select 1 from measurement_line part
                    where part.organization_id = $1::bigint and part.style_id = record.id
                )
            )
            order by record.id limit 500
        ),
        requested as (
            select
                charted.measurement_line_id,
                string_agg(
                    '{"sizeRangeSizeId":' || charted.size_range_size_id || ',"value":' || charted.value::text
                        || '}',
                    ',' order by charted.size_range_size_id
                ) as documents
            from measurement_line line
            cross join lateral (
                select stored.measurement_line_id, stored.size_range_size_id, stored.value
                from measurement_line_value stored
                where stored.organization_id = $1::bigint and stored.measurement_line_id = line.id
                offset 0
            ) as charted
            where line.organization_id = $1::bigint and line.style_id = any(array(select id from page))
            group by charted.measurement_line_id
        ),
        lines as (
            select
                line.style_id,
                string_agg(
                    '{"lineId":' || line.id
                    || ',"name":' || coalesce(to_json(line.name)::text, 'null')
                    || ',"tolerance":' || coalesce(line.tolerance::text, 'null')
                    || ',"isDeactivated":' || line.is_deactivated
                    || ',"requested":[' || coalesce(requested.documents, '') || ']}',
                    ',' order by line.id
                ) as documents
            from measurement_line line
            left join requested on requested.measurement_line_id = line.id
            where line.organization_id = $1::bigint and line.style_id = any(array(select id from page))
            group by line.style_id
        )
        select
            page_order,
            sort_values,
            '{"styleId":' || page.id || ',' || '"unit":' || coalesce(to_json(unit)::text, 'null')
            || ',"lines":[' || coalesce(lines.documents, '') || ']' || '}' as document
        from page
        left join lines on lines.style_id = page.id
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"measurement-charts","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_measurements: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"measurements","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        with record as (
            select r.id, r.id as sample_request_id, r.unit from sample_request r
                where r.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint and exists (
                select 1 from sample_request_size part
                where part.organization_id = $1::bigint and part.sample_request_id = record.id
            )
            order by record.id limit 500
        ),
        requested as materialized (
            select
                sent.sample_request_id,
                sent.size_range_size_id as id,
                size.name as size_range_size_name,
                size.is_deactivated,
                page.unit,
                sent.designer_comment,
                sent.is_approved,
                sent.is_designer_visible_only
            from page
            cross join lateral (
                select stored.*
                from sample_request_size stored
                where stored.organization_id = $1::bigint and stored.sample_request_id = page.id
                offset 0
            ) as sent
            cross join lateral (
                select stored.name, stored.is_deactivated
                from size_range_size stored
                where stored.organization_id = $1::bigint and stored.id = sent.size_range_size_id
                offset 0
            ) as size
        ),
        lines as materialized (
            select measured.sample_request_id, measured.size_range_size_id, -- Part of documents.
            string_agg(
                '{"lineId":' || case when line.is_deactivated then 'null' else line.id::text end
                || ',"name":' || coalesce(to_json(line.name)::text, 'null')
                || ',"requestedMeasurement":' || coalesce(measured.requested_measurement::text, 'null')
                || ',"companyMeasurement":' || coalesce(measured.company_measurement::text, 'null')
                || ',"supplierMeasurement":' || coalesce(measured.supplier_measurement::text, 'null')
                || ',"newMeasurement":' || coalesce(measured.new_measurement::text, 'null')
                || ',"tolerance":'
                || case when line.is_deactivated then 'null' else coalesce(line.tolerance::text, 'null') end
                || '}',
                ',' order by line.id
            ) as documents
                from sample_request_measurement measured
                join measurement_line line
                    on line.organization_id = $1::bigint and line.id = measured.measurement_line_id
                where measured.organization_id = $1::bigint
                    and measured.sample_request_id = any(array(select id from page))
                group by measured.sample_request_id, measured.size_range_size_id
        ),
        sizes as (
            select requested.sample_request_id, string_agg(
                -- Part of documents.
                '{"sizeRangeSizeId":' || id
                    || ',"sizeRangeSizeName":' || to_json(size_range_size_name)
                    || ',"unit":' || coalesce(to_json(unit)::text, 'null')
                    || ',"designerComment":' || coalesce(to_json(designer_comment)::text, 'null')
                    || ',"properties":' || to_json(array_remove(
                        array[
                            case when is_approved then 'approved' end,
                            case when is_designer_visible_only then 'designerVisibleOnly' end,
                            case when is_deactivated then 'sizeDeactivated' end
                        ],
                        null
                    ))
                    || ',"lines":[' || coalesce(lines.documents, '') || ']}', ',' order by requested.id
            ) as documents
            from requested
            left join lines
                on lines.sample_request_id = requested.sample_request_id
                    and lines.size_range_size_id = requested.id
            group by requested.sample_request_id
        )
        select
            page_order,
            sort_values,
            '{"sampleRequestId":' || page.id || ',"sizes":[' || coalesce(sizes.documents, '')
                || ']}' as document
        from page
        left join sizes on sizes.sample_request_id = page.id
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"measurements","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,

-- exports.export_languages: Read the next records of an export.
--   $1::bigint organization_id
--   $2::bigint after_id
-- Lines of an export, until they have the bytes of a chunk.
select
    convert_to(string_agg('{"collection":"languages","document":' || document || E'}\n', ''
        order by page_order),
        'UTF8') as lines,
    count(*) as found,
    max(page_order) as last_id
from (
    select page.*, sum(octet_length(document)) over (order by page_order) as bytes
    from (
        with record as (
            select l.*, $1::bigint as organization_id from language l
        ),
        page as materialized (
            select record.*, record.id as page_order, null::text as sort_values
            from record where record.id > $2::bigint
            order by record.id limit 500
        )
        select
            page_order,
            sort_values,
            '{"id":' || id || ',"name":' || to_json(name) || ',"code":' || to_json(code) || '}' as document
        from page
    ) as page
) as page
where bytes - octet_length(document) < 1048576;
-- For a table:
--   -     convert_to(string_agg('{"collection":"languages","document":' || document || E'}\n', ''
--   -         order by page_order),
--   -         'UTF8') as lines,
--   +     convert_to(string_agg(document || E',\n', '' order by page_order), 'UTF8') as lines,
