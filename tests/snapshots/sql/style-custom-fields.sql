-- style-custom-fields: SQL statements as they are sent; only line breaks and indents differ.

-- style-custom-fields.list: First page of all records, in the default order.
--   $1::bigint organization_id
select
    case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
    last_values,
    has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
            '') as documents,
        max(sort_values) as last_values,
        coalesce(max(page_order), 0) > 30 as has_more
    from (
        with record as (
            select f.*, parent.name as parent_custom_field_name
            from style_custom_field f
            left join style_custom_field parent
                on parent.organization_id = $1::bigint and parent.id = f.parent_custom_field_id
            where f.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where record.state <> 'deleted'
                order by record.id limit 30 + 1 offset 0
            ) as record
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
) as page;
-- Page by number:
--   -                 order by record.id limit 30 + 1 offset 0
--   +                 order by record.id limit 30 + 1 offset $2::bigint
-- Again, cut, if the page exceeds its bytes:
--   -     case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
--   -     last_values,
--   -     has_more
--   +     convert_to(string_agg(document, ',' order by page_order), 'UTF8') as documents,
--   +     (array_agg(sort_values order by page_order desc))[1] as last_values,
--   +     count(*) < max(found) as has_more
--   -         coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
--   -             '') as documents,
--   -         max(sort_values) as last_values,
--   -         coalesce(max(page_order), 0) > 30 as has_more
--   +         page.*,
--   +         sum(octet_length(document)) over (order by page_order) as bytes,
--   +         count(*) over () as found
--   -             case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
--   -                 end as sort_values
--   +             json_build_array(record.id)::text as sort_values
--   + where page_order = 1 or (page_order <= 30 and bytes <= 8388608)

-- style-custom-fields.list_example: Example: name contains $2, sorted by it, descending.
--   $1::bigint organization_id
--   $2::text filter_value
select
    case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
    last_values,
    has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
            '') as documents,
        max(sort_values) as last_values,
        coalesce(max(page_order), 0) > 30 as has_more
    from (
        with record as (
            select f.*, parent.name as parent_custom_field_name
            from style_custom_field f
            left join style_custom_field parent
                on parent.organization_id = $1::bigint and parent.id = f.parent_custom_field_id
            where f.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.name desc, record.id) as page_order,
            case row_number() over (order by record.name desc, record.id)
                when 30 then json_build_array(record.name, record.id)::text end as sort_values
            from (
                select * from record
                    where strpos(lower(record.name collate "default"), lower($2::text collate "default")) > 0
                    and record.state <> 'deleted'
                order by record.name desc, record.id limit 30 + 1 offset 0
            ) as record
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
) as page;
-- Next page, by cursor:
--   -                     and record.state <> 'deleted'
--   +                     and record.state <> 'deleted' and (record.name <= $3::text)
--   +                     and (record.name < $3::text or record.id > $4::bigint)

-- style-custom-fields.list_by_reference: First page of the records whose parentCustomField.id is $2.
--   $1::bigint organization_id
--   $2::bigint filter_value
select
    case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
    last_values,
    has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
            '') as documents,
        max(sort_values) as last_values,
        coalesce(max(page_order), 0) > 30 as has_more
    from (
        with record as (
            select f.*, parent.name as parent_custom_field_name
            from style_custom_field f
            left join style_custom_field parent
                on parent.organization_id = $1::bigint and parent.id = f.parent_custom_field_id
            where f.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where -- Condition of a page: records with an entry of style_custom_field that matches. The array makes the planner begin with the
                -- entries; with a join it may read all records until it has a page of matches.
                record.id = any(array(
                    select entry.id from style_custom_field entry
                    where entry.organization_id = $1::bigint and true
                        and entry.parent_custom_field_id = $2::bigint
                )) and record.state <> 'deleted'
                order by record.id limit 30 + 1 offset 0
            ) as record
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
) as page;
-- parentCustomField.userDefinedId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style_custom_field that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of style_custom_field.
--   -                     select entry.id from style_custom_field entry
--   -                     where entry.organization_id = $1::bigint and true
--   -                         and entry.parent_custom_field_id = $2::bigint
--   +                     select entry.id
--   +                     from style_custom_field target
--   +                     join style_custom_field entry on entry.organization_id = $1::bigint
--   +                         and entry.parent_custom_field_id = target.id
--   +                     where target.organization_id = $1::bigint and target.user_defined_id = $2::text
-- allowedValues.id is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style_custom_field that matches. The array makes the planner begin with the
--   +                 select * from record where -- Condition of a page: records with an entry of style_allowed_value that matches. The array makes the planner begin with the
--   -                     select entry.id from style_custom_field entry
--   -                     where entry.organization_id = $1::bigint and true
--   -                         and entry.parent_custom_field_id = $2::bigint
--   +                     select entry.custom_field_id from style_allowed_value entry
--   +                     where entry.organization_id = $1::bigint and true and entry.id = $2::bigint
-- allowedValues.parentAllowedValueId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style_custom_field that matches. The array makes the planner begin with the
--   +                 select * from record where -- Condition of a page: records with an entry of style_allowed_value that matches. The array makes the planner begin with the
--   -                     select entry.id from style_custom_field entry
--   +                     select entry.custom_field_id from style_allowed_value entry
--   -                         and entry.parent_custom_field_id = $2::bigint
--   +                         and entry.parent_allowed_value_id = $2::bigint
-- allowedValues.userDefinedId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style_custom_field that matches. The array makes the planner begin with the
--   +                 select * from record where -- Condition of a page: records with an entry of style_allowed_value that matches. The array makes the planner begin with the
--   -                     select entry.id from style_custom_field entry
--   -                     where entry.organization_id = $1::bigint and true
--   -                         and entry.parent_custom_field_id = $2::bigint
--   +                     select entry.custom_field_id from style_allowed_value entry
--   +                     where entry.organization_id = $1::bigint and true and entry.user_defined_id = $2::text
-- associatedBrands.id is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style_custom_field that matches. The array makes the planner begin with the
--   +                 select * from record where -- Condition of a page: records with an entry of custom_field_brand that matches. The array makes the planner begin with the
--   -                     select entry.id from style_custom_field entry
--   -                     where entry.organization_id = $1::bigint and true
--   -                         and entry.parent_custom_field_id = $2::bigint
--   +                     select entry.custom_field_id from custom_field_brand entry
--   +                     where entry.organization_id = $1::bigint and true and entry.brand_id = $2::bigint
-- associatedBrands.customId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style_custom_field that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of brand.
--   -                     select entry.id from style_custom_field entry
--   -                     where entry.organization_id = $1::bigint and true
--   -                         and entry.parent_custom_field_id = $2::bigint
--   +                     select entry.custom_field_id
--   +                     from brand target
--   +                     join custom_field_brand entry on entry.organization_id = $1::bigint
--   +                         and entry.brand_id = target.id
--   +                     where target.organization_id = $1::bigint and target.custom_id = $2::text
-- associatedGroups.id is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style_custom_field that matches. The array makes the planner begin with the
--   +                 select * from record where -- Condition of a page: records with an entry of custom_field_group that matches. The array makes the planner begin with the
--   -                     select entry.id from style_custom_field entry
--   -                     where entry.organization_id = $1::bigint and true
--   -                         and entry.parent_custom_field_id = $2::bigint
--   +                     select entry.custom_field_id from custom_field_group entry
--   +                     where entry.organization_id = $1::bigint and true and entry.group_id = $2::bigint
-- associatedGroups.customId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style_custom_field that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of style_group.
--   -                     select entry.id from style_custom_field entry
--   -                     where entry.organization_id = $1::bigint and true
--   -                         and entry.parent_custom_field_id = $2::bigint
--   +                     select entry.custom_field_id
--   +                     from style_group target
--   +                     join custom_field_group entry on entry.organization_id = $1::bigint
--   +                         and entry.group_id = target.id
--   +                     where target.organization_id = $1::bigint and target.user_defined_id = $2::text
-- associatedGroups.userDefinedId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style_custom_field that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of style_group.
--   -                     select entry.id from style_custom_field entry
--   -                     where entry.organization_id = $1::bigint and true
--   -                         and entry.parent_custom_field_id = $2::bigint
--   +                     select entry.custom_field_id
--   +                     from style_group target
--   +                     join custom_field_group entry on entry.organization_id = $1::bigint
--   +                         and entry.group_id = target.id
--   +                     where target.organization_id = $1::bigint and target.user_defined_id = $2::text
-- associatedStyleCategories.id is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style_custom_field that matches. The array makes the planner begin with the
--   +                 select * from record where -- Condition of a page: records with an entry of custom_field_style_category that matches. The array makes the planner begin with the
--   -                     select entry.id from style_custom_field entry
--   -                     where entry.organization_id = $1::bigint and true
--   -                         and entry.parent_custom_field_id = $2::bigint
--   +                     select entry.custom_field_id from custom_field_style_category entry
--   +                     where entry.organization_id = $1::bigint and true and entry.style_category_id = $2::bigint
-- associatedStyleCategories.customId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style_custom_field that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of style_category.
--   -                     select entry.id from style_custom_field entry
--   -                     where entry.organization_id = $1::bigint and true
--   -                         and entry.parent_custom_field_id = $2::bigint
--   +                     select entry.custom_field_id
--   +                     from style_category target
--   +                     join custom_field_style_category entry on entry.organization_id = $1::bigint
--   +                         and entry.style_category_id = target.id
--   +                     where target.organization_id = $1::bigint and target.user_defined_id = $2::text
-- associatedStyleCategories.userDefinedId is $2:
--   -                 select * from record where -- Condition of a page: records with an entry of style_custom_field that matches. The array makes the planner begin with the
--   -                 -- entries; with a join it may read all records until it has a page of matches.
--   +                 select * from record where -- Condition of a page: records that refer to a matching record of style_category.
--   -                     select entry.id from style_custom_field entry
--   -                     where entry.organization_id = $1::bigint and true
--   -                         and entry.parent_custom_field_id = $2::bigint
--   +                     select entry.custom_field_id
--   +                     from style_category target
--   +                     join custom_field_style_category entry on entry.organization_id = $1::bigint
--   +                         and entry.style_category_id = target.id
--   +                     where target.organization_id = $1::bigint and target.user_defined_id = $2::text

-- style-custom-fields.list_changed: First page of the records that transactions after a number have changed.
--   $1::bigint organization_id
--   $2::bigint after_n
select
    case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
    last_values,
    has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
            '') as documents,
        max(sort_values) as last_values,
        coalesce(max(page_order), 0) > 30 as has_more
    from (
        with record as (
            select f.*, parent.name as parent_custom_field_name
            from style_custom_field f
            left join style_custom_field parent
                on parent.organization_id = $1::bigint and parent.id = f.parent_custom_field_id
            where f.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record where record.state <> 'deleted' and -- Condition of lists: records that transactions after a number, or without one, have changed, and records that show
                -- changed ones.
                record.id in (
                    select changed.record_id::bigint
                    from (
                        -- Transactions of changed_records. Two branches, because an "or" hides the partial indexes from the planner.
                        select numbered.records, numbered.causes from change numbered
                        where numbered.organization_id = $1::bigint and numbered.n > $2::bigint
                        union all
                        select unnumbered.records, unnumbered.causes from change unnumbered
                        where unnumbered.organization_id = $1::bigint and unnumbered.n is null
                    ) as change
                    cross join lateral jsonb_each(change.records -> 'style-custom-fields') as operation(name,
                        ids)
                    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
                    -- Part of changed_records: records that show changed ones of one kind.
                    union all
                    select shown.id from (
                        select id from style_custom_field
                        where organization_id = $1::bigint and parent_custom_field_id = any(
                            -- Ids of the changed ones in changed_shown.
                            array(
                                select changed.record_id::bigint
                                from (
                                    -- Transactions of changed_records. Two branches, because an "or" hides the partial indexes from the planner.
                                    select numbered.records, numbered.causes from change numbered
                                    where numbered.organization_id = $1::bigint and numbered.n > $2::bigint
                                    union all
                                    select unnumbered.records, unnumbered.causes from change unnumbered
                                    where unnumbered.organization_id = $1::bigint and unnumbered.n is null
                                ) as change
                                cross join lateral jsonb_array_elements_text(
                                    change.causes -> 'style-custom-fields'
                                ) as changed(record_id)
                    ))) as shown
                    -- Part of changed_records: records that show changed ones of one kind.
                    union all
                    select shown.id from (
                        select custom_field_id as id from custom_field_group
                        where organization_id = $1::bigint and group_id = any(
                            -- Ids of the changed ones in changed_shown.
                            array(
                                select changed.record_id::bigint
                                from (
                                    -- Transactions of changed_records. Two branches, because an "or" hides the partial indexes from the planner.
                                    select numbered.records, numbered.causes from change numbered
                                    where numbered.organization_id = $1::bigint and numbered.n > $2::bigint
                                    union all
                                    select unnumbered.records, unnumbered.causes from change unnumbered
                                    where unnumbered.organization_id = $1::bigint and unnumbered.n is null
                                ) as change
                                cross join lateral jsonb_array_elements_text(
                                    change.causes -> 'groups'
                                ) as changed(record_id)
                    ))) as shown
                    -- Part of changed_records: records that show changed ones of one kind.
                    union all
                    select shown.id from (
                        select custom_field_id as id from custom_field_brand
                        where organization_id = $1::bigint and brand_id = any(
                            -- Ids of the changed ones in changed_shown.
                            array(
                                select changed.record_id::bigint
                                from (
                                    -- Transactions of changed_records. Two branches, because an "or" hides the partial indexes from the planner.
                                    select numbered.records, numbered.causes from change numbered
                                    where numbered.organization_id = $1::bigint and numbered.n > $2::bigint
                                    union all
                                    select unnumbered.records, unnumbered.causes from change unnumbered
                                    where unnumbered.organization_id = $1::bigint and unnumbered.n is null
                                ) as change
                                cross join lateral jsonb_array_elements_text(
                                    change.causes -> 'brands'
                                ) as changed(record_id)
                    ))) as shown
                    -- Part of changed_records: records that show changed ones of one kind.
                    union all
                    select shown.id from (
                        select custom_field_id as id from custom_field_style_category
                        where organization_id = $1::bigint and style_category_id = any(
                            -- Ids of the changed ones in changed_shown.
                            array(
                                select changed.record_id::bigint
                                from (
                                    -- Transactions of changed_records. Two branches, because an "or" hides the partial indexes from the planner.
                                    select numbered.records, numbered.causes from change numbered
                                    where numbered.organization_id = $1::bigint and numbered.n > $2::bigint
                                    union all
                                    select unnumbered.records, unnumbered.causes from change unnumbered
                                    where unnumbered.organization_id = $1::bigint and unnumbered.n is null
                                ) as change
                                cross join lateral jsonb_array_elements_text(
                                    change.causes -> 'style-categories'
                                ) as changed(record_id)
                    ))) as shown
                )
                order by record.id limit 30 + 1 offset 0
            ) as record
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
) as page;

-- style-custom-fields.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
with record as (
    select f.*, parent.name as parent_custom_field_name
    from style_custom_field f
    left join style_custom_field parent
        on parent.organization_id = $1::bigint and parent.id = f.parent_custom_field_id
    where f.organization_id = $1::bigint
),
page as materialized (
    select record.id from record where record.state <> 'deleted'
)
select count(*) as total from page;
-- Count of the example:
--   -     select record.id from record where record.state <> 'deleted'
--   +     select record.id from record
--   +         where strpos(lower(record.name collate "default"), lower($2::text collate "default")) > 0
--   +         and record.state <> 'deleted'

-- style-custom-fields.id_by_key: Find the record that a path names by its own key, userDefinedId.
--   $1::bigint organization_id
--   $2::text key
-- Live records with an own key: more than one, if it is ambiguous.
select id from style_custom_field
where organization_id = $1::bigint and user_defined_id = $2::text and state <> 'deleted'
order by id
limit 5;

-- style-custom-fields.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
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
        from record where record.id = $2::bigint
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
                    case when page.is_sort_by_allowed_value_id then v.user_defined_id else v.value end, v.id
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
        where stored.organization_id = $1::bigint and stored.custom_field_id = any(array(select id from page))
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
        where stored.organization_id = $1::bigint and stored.custom_field_id = any(array(select id from page))
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
        where stored.organization_id = $1::bigint and stored.custom_field_id = any(array(select id from page))
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
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])
-- Change feed with documents, one record:
--   -     case when count(*) = 1 or sum(octet_length(document)) <= 33554432
--   +     case when count(*) = 1 or sum(octet_length(document)) <= 8388608
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = $2::bigint and record.state <> 'deleted'
-- Change feed with documents, several records:
--   -     case when count(*) = 1 or sum(octet_length(document)) <= 33554432
--   +     case when count(*) = 1 or sum(octet_length(document)) <= 8388608
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[]) and record.state <> 'deleted'

-- style-custom-fields.read_writable: Read a writable form.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select f.* from style_custom_field f where f.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    allowed_values as (
        select
            v.custom_field_id,
            string_agg(
                '{"id":' || v.id
                || ',"value":' || to_json(v.value)
                || ',"userDefinedId":' || coalesce(to_json(v.user_defined_id)::text, 'null')
                || ',"isDefaultValue":' || v.is_default_value
                || ',"parentAllowedValueId":' || coalesce(v.parent_allowed_value_id::text, 'null') || '}',
                ',' order by
                    case when page.is_sort_by_allowed_value_id then v.user_defined_id else v.value end, v.id
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
        where stored.organization_id = $1::bigint and stored.custom_field_id = any(array(select id from page))
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
        where stored.organization_id = $1::bigint and stored.custom_field_id = any(array(select id from page))
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
        where stored.organization_id = $1::bigint and stored.custom_field_id = any(array(select id from page))
        group by stored.custom_field_id
    )
    select
        page_order,
        sort_values,
        '{"name":' || to_json(name)::text || ',"userDefinedId":'
            || coalesce(to_json(user_defined_id)::text, 'null') || ',"state":"' || state
            || '","internalOnly":' || internal_only::text || ',"isMandatory":' || is_mandatory::text
            || ',"isSupplierEditable":' || is_supplier_editable::text || ',"isMultiLine":'
            || is_multi_line::text || ',"isSortByAllowedValueId":' || is_sort_by_allowed_value_id::text
            || ',"diffPerColor":' || diff_per_color::text || ',"diffPerSize":' || diff_per_size::text
            || ',"useInThumbnailViewGroupBy":' || use_in_thumbnail_view_group_by::text || ',"maxChar":'
            || coalesce(max_char::text, 'null') || ',"allowedDecimals":'
            || coalesce(allowed_decimals::text, 'null') || ',"numericVariantCalculationFormula":"'
            || numeric_variant_calculation_formula || '"'
        || ',"allowedValues":[' || coalesce(v.documents, '')
        || '],"associatedBrands":[' || coalesce(b.documents, '')
        || '],"associatedGroups":[' || coalesce(g.documents, '')
        || '],"associatedStyleCategories":[' || coalesce(c.documents, '') || ']}' as document
    from page
    left join allowed_values v on v.custom_field_id = page.id
    left join brands b on b.custom_field_id = page.id
    left join groups g on g.custom_field_id = page.id
    left join categories c on c.custom_field_id = page.id
) as page;
-- Several records:
--   -         from record where record.id = $2::bigint
--   +         from record where record.id = any((select $2::text::bigint[])::bigint[])

-- style-custom-fields.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, state as state, user_defined_id as key, null::bigint as within_id from style_custom_field
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- style-custom-fields.lock_by_key: Lock the records of a write that names them by own key, userDefinedId.
--   $1::bigint organization_id
--   $2::text[] keys
select id, state as state, user_defined_id as key, null::bigint as within_id from style_custom_field
where organization_id = $1::bigint and id = any(array(
    select one.id from style_custom_field one where one.organization_id = $1::bigint
        and one.user_defined_id = any($2::text[])
))
order by id
for no key update;
-- If an item deletes its record:
--   - for no key update
--   + for update

-- style-custom-fields.references_of_associatedBrands: Lock the records that entries name, by id or by custom id.
--   $1::bigint organization_id
--   $2::bigint[] ids
--   $3::text[] references
select id, custom_id as reference
from brand
where organization_id = $1::bigint
    and id = any($2::bigint[] || array(
        select one.id from brand one
        where one.organization_id = $1::bigint and one.custom_id = any($3::text[])
    ))
    and state <> 'deleted'
order by id
for key share;

-- style-custom-fields.references_of_associatedGroups: Lock the records that entries name, by id or by custom id.
--   $1::bigint organization_id
--   $2::bigint[] ids
--   $3::text[] references
select id, user_defined_id as reference
from style_group
where organization_id = $1::bigint
    and id = any($2::bigint[] || array(
        select one.id from style_group one
        where one.organization_id = $1::bigint and one.user_defined_id = any($3::text[])
    ))
    and state <> 'deleted'
order by id
for key share;

-- style-custom-fields.references_of_associatedStyleCategories: Lock the records that entries name, by id or by custom id.
--   $1::bigint organization_id
--   $2::bigint[] ids
--   $3::text[] references
select id, user_defined_id as reference
from style_category
where organization_id = $1::bigint
    and id = any($2::bigint[] || array(
        select one.id from style_category one
        where one.organization_id = $1::bigint and one.user_defined_id = any($3::text[])
    ))
    and state <> 'deleted'
order by id
for key share;

-- style-custom-fields.check: Report the errors that only stored data show.
--   $1::bigint organization_id
--   $2::jsonb items
with recursive item as materialized (
    select
        sent.n,
        sent.id,
        sent.type,
        sent.state,
        stored.type as stored_type,
        true and sent.parent_id is distinct from stored.parent_custom_field_id
            and sent.parent_id is not null and stored.id is not null as moves,
        case when true and stored.id is not null
            then stored.parent_custom_field_id else sent.parent_id
        end as parent_id
    from rows from (
        jsonb_to_recordset($2::jsonb) as (id bigint, type text, state text, "parentCustomFieldId" bigint)
    ) with ordinality as sent(id, type, state, parent_id, n)
    left join style_custom_field stored on stored.organization_id = $1::bigint and stored.id = sent.id
),
-- Ancestors after the batch: several of its items together can close a cycle.
ancestor(descendant_id, id) as (
    select id, parent_id from item where parent_id is not null
    union
    select
        ancestor.descendant_id,
        case when item.id is null then stored.parent_custom_field_id else item.parent_id end
    from ancestor
    left join style_custom_field stored on stored.organization_id = $1::bigint and stored.id = ancestor.id
    left join item on item.id = ancestor.id
    where ancestor.id <> ancestor.descendant_id
)
select
    n::integer as item,
    'validation_error.read_only_field' as type,
    '["type"]' as path,
    'The type is ' || stored_type || ' and stays so.' as message
from item
where type <> stored_type
union all
select item.n::integer, failure.type, '["parentCustomFieldId"]', failure.message
from item
left join style_custom_field parent on parent.organization_id = $1::bigint and parent.id = item.parent_id
    and (
        parent.state <> 'deleted' or item.state = 'deleted'
        or exists (select 1 from item restored where restored.id = parent.id and restored.state <> 'deleted')
    )
left join item created on created.id = item.parent_id and created.stored_type is null
join (
    values
        ('moves', 'validation_error.read_only_field', 'The parent is set at creation only.'),
        ('unknown', 'validation_error.unknown_reference', 'There is no such custom field, or it is deleted.'),
        ('kind', 'validation_error.invalid_value', 'A parent has to be of an allowed-value type.'),
        ('cycle', 'validation_error.invalid_value', 'Its parents lead back to this custom field.')
) as failure(name, type, message) on failure.name = case
    when item.moves then 'moves'
    when item.parent_id is null then null
    when parent.id is null and created.id is null then 'unknown'
    when coalesce(parent.type, created.type) not in ('allowedValue', 'nestedAllowedValue') then 'kind'
    when exists (select 1 from ancestor a where a.descendant_id = item.id and a.id = item.id) then 'cycle'
end;

-- style-custom-fields.in_use: Report the records to delete that other records need.
--   $1::bigint organization_id
--   $2::text ids
--   $3::jsonb items
with item as materialized (
    select sent.id, sent.state, sent."userDefinedId" as own_key, sent."parentCustomFieldId" as parent_id
    from jsonb_to_recordset($3::jsonb) as sent(id bigint, state text, "userDefinedId" text,
        "parentCustomFieldId" bigint)
)
select
    parent_id as id,
    'custom fields' as users,
    count(*) as uses,
    (array_agg(json_build_array(id, user_defined_id)::text order by id))[1:10] as first
from (
    select
        stored.id,
        stored.user_defined_id,
        case when item.id is null or true then stored.parent_custom_field_id else item.parent_id
            end as parent_id
    from style_custom_field stored
    left join item on item.id = stored.id
    where stored.organization_id = $1::bigint and stored.id <> all((select $2::text::bigint[])::bigint[])
        and coalesce(item.state, stored.state) <> 'deleted'
    union all
    select item.id, item.own_key, item.parent_id
    from item
    left join style_custom_field stored on stored.organization_id = $1::bigint and stored.id = item.id
    where stored.id is null
) as child
where parent_id = any((select $2::text::bigint[])::bigint[])
group by parent_id;

-- style-custom-fields.reliances: Read which items depend on which, to fail those that depend on failed items.
--   $1::bigint organization_id
--   $2::bigint[] ids
--   $3::bigint[] parent_ids
-- Stored rows of the current parents of fields, and of the parents in the request.
select
    sent.id,
    stored.state <> 'deleted' as is_live,
    stored.parent_custom_field_id as stored_parent_id,
    parent.id as parent_id,
    parent.state = 'deleted' as has_deleted_parent
from unnest($2::bigint[], $3::bigint[]) as sent(id, parent_id)
left join style_custom_field stored on stored.organization_id = $1::bigint and stored.id = sent.id
left join style_custom_field parent on parent.organization_id = $1::bigint
    and parent.id = case when true and stored.id is not null
        then stored.parent_custom_field_id else sent.parent_id
    end;

-- style-custom-fields.needed_values: Report removed values that other fields refer to.
--   $1::bigint organization_id
--   $2::bigint[] value_ids
--   $3::bigint[] field_ids
--   $4::bigint[] parent_value_ids
--   $5::bigint[] batch_ids
-- Return removed values that values of live fields refer to, by the state after the batch, whose fields are $5.
with removed as materialized (
    select custom_field_id as field_id, id, value
    from style_allowed_value
    where organization_id = $1::bigint and id = any($2::bigint[])
),
pointer as (
    select field_id, parent_id from unnest($3::bigint[], $4::bigint[]) as sent(field_id, parent_id)
    union all
    select f.id, v.parent_allowed_value_id
    from style_allowed_value v
    join style_custom_field f on f.organization_id = $1::bigint and f.id = v.custom_field_id
    where v.organization_id = $1::bigint and v.parent_allowed_value_id = any($2::bigint[])
        and f.state <> 'deleted' and f.id <> all($5::bigint[])
),
needed as materialized (
    select removed.field_id, removed.id, removed.value, child.id as child_id, child.user_defined_id as key
    from removed
    join pointer on pointer.parent_id = removed.id
    join style_custom_field child on child.organization_id = $1::bigint and child.id = pointer.field_id
        and child.parent_custom_field_id = removed.field_id
),
used as (
    select field_id, id, value || ' (' || count(*) || ')' as value
    from needed
    group by field_id, id, value
),
child as (
    select field_id, (array_agg(json_build_array(child_id, key)::text order by child_id))[1:10] as first
    from (select distinct field_id, child_id, key from needed) as needing
    group by field_id
)
select
    used.field_id as id,
    'Used by values of other custom fields: ' || string_agg(used.value, ', ' order by used.id) as message,
    child.first
from used
join child on child.field_id = used.field_id
group by used.field_id, child.first;

-- style-custom-fields.stored_values: Read the stored allowed values.
--   $1::bigint organization_id
--   $2::text ids
select
    array_agg(custom_field_id),
    array_agg(id),
    array_agg(value),
    array_agg(user_defined_id),
    array_agg(is_default_value),
    array_agg(parent_allowed_value_id)
from style_allowed_value
where organization_id = $1::bigint and custom_field_id = any((select $2::text::bigint[])::bigint[]);

-- style-custom-fields.unknown_parent_values: Report values that the parent field lacks.
--   $1::bigint organization_id
--   $2::bigint[] field_ids
--   $3::bigint[] parent_ids
--   $4::bigint[] parent_value_ids
-- The parent of new fields is $3; that of others is the stored one.
select sent.n
from unnest($2::bigint[], $3::bigint[], $4::bigint[])
    with ordinality as sent(field_id, parent_field_id, parent_id, n)
left join style_custom_field stored on stored.organization_id = $1::bigint and stored.id = sent.field_id
where not exists (
    select 1 from style_allowed_value v
    where v.organization_id = $1::bigint and v.id = sent.parent_id
        and v.custom_field_id = case when stored.id is null
            then sent.parent_field_id else stored.parent_custom_field_id
        end
);

-- style-custom-fields.stored_links: Read the stored links.
--   $1::bigint organization_id
--   $2::text ids
select 'custom_field_brand' as link, array_agg(custom_field_id) as owner_ids,
    array_agg(brand_id) as linked_ids
from custom_field_brand
where organization_id = $1::bigint and custom_field_id = any((select $2::text::bigint[])::bigint[])
union all
select 'custom_field_group' as link, array_agg(custom_field_id) as owner_ids,
    array_agg(group_id) as linked_ids
from custom_field_group
where organization_id = $1::bigint and custom_field_id = any((select $2::text::bigint[])::bigint[])
union all
select 'custom_field_style_category' as link, array_agg(custom_field_id) as owner_ids,
    array_agg(style_category_id) as linked_ids
from custom_field_style_category
where organization_id = $1::bigint and custom_field_id = any((select $2::text::bigint[])::bigint[]);

-- style-custom-fields.remove_custom_field_brand: Delete links.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    with gone as materialized (
        select (pair ->> 0)::bigint as owner_id, (pair ->> 1)::bigint as linked_id
        from jsonb_array_elements($2::jsonb) as sent(pair)
    )
    delete from custom_field_brand as stored
    using gone
    -- The array makes the planner begin with the owners; with a join alone it may read all links of the organization.
    where stored.organization_id = $1::bigint
        and stored.custom_field_id = any(array(select owner_id from gone))
        and stored.custom_field_id = gone.owner_id and stored.brand_id = gone.linked_id
    returning stored.custom_field_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-custom-fields.add_custom_field_brand: Insert links.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into custom_field_brand as stored (organization_id, custom_field_id, brand_id)
    select o.id, (sent.pair ->> 0)::bigint, (sent.pair ->> 1)::bigint
    from organization o
    cross join jsonb_array_elements($2::jsonb) as sent(pair)
    where o.id = $1::bigint
    returning stored.custom_field_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-custom-fields.remove_custom_field_group: Delete links.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    with gone as materialized (
        select (pair ->> 0)::bigint as owner_id, (pair ->> 1)::bigint as linked_id
        from jsonb_array_elements($2::jsonb) as sent(pair)
    )
    delete from custom_field_group as stored
    using gone
    -- The array makes the planner begin with the owners; with a join alone it may read all links of the organization.
    where stored.organization_id = $1::bigint
        and stored.custom_field_id = any(array(select owner_id from gone))
        and stored.custom_field_id = gone.owner_id and stored.group_id = gone.linked_id
    returning stored.custom_field_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-custom-fields.add_custom_field_group: Insert links.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into custom_field_group as stored (organization_id, custom_field_id, group_id)
    select o.id, (sent.pair ->> 0)::bigint, (sent.pair ->> 1)::bigint
    from organization o
    cross join jsonb_array_elements($2::jsonb) as sent(pair)
    where o.id = $1::bigint
    returning stored.custom_field_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-custom-fields.remove_custom_field_style_category: Delete links.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    with gone as materialized (
        select (pair ->> 0)::bigint as owner_id, (pair ->> 1)::bigint as linked_id
        from jsonb_array_elements($2::jsonb) as sent(pair)
    )
    delete from custom_field_style_category as stored
    using gone
    -- The array makes the planner begin with the owners; with a join alone it may read all links of the organization.
    where stored.organization_id = $1::bigint
        and stored.custom_field_id = any(array(select owner_id from gone))
        and stored.custom_field_id = gone.owner_id and stored.style_category_id = gone.linked_id
    returning stored.custom_field_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-custom-fields.add_custom_field_style_category: Insert links.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into custom_field_style_category as stored (organization_id, custom_field_id, style_category_id)
    select o.id, (sent.pair ->> 0)::bigint, (sent.pair ->> 1)::bigint
    from organization o
    cross join jsonb_array_elements($2::jsonb) as sent(pair)
    where o.id = $1::bigint
    returning stored.custom_field_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-custom-fields.remove_values: Delete allowed values that items omit.
--   $1::bigint organization_id
--   $2::bigint[] value_ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    delete from style_allowed_value
    where organization_id = $1::bigint and id = any($2::bigint[])
    returning custom_field_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-custom-fields.forget_parent_values: Clear references to removed values.
--   $1::bigint organization_id
--   $2::bigint[] value_ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Clear references to removed values: only deleted fields and values to be removed have them.
    update style_allowed_value set parent_allowed_value_id = null
    where organization_id = $1::bigint and parent_allowed_value_id = any($2::bigint[])
    returning custom_field_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-custom-fields.insert_values: Insert new allowed values.
--   $1::bigint organization_id
--   $2::jsonb values
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into style_allowed_value as stored (
        organization_id, id, custom_field_id, value, user_defined_id, is_default_value,
            parent_allowed_value_id
    )
    select o.id, sent.id, sent.field_id, sent.value, sent.user_defined_id, sent.is_default_value,
        sent.parent_id
    from organization o
    cross join (
        -- Allowed values of the request, a JSON array each.
        select
            (sent ->> 0)::bigint as field_id,
            (sent ->> 1)::bigint as id,
            sent ->> 2 as value,
            sent ->> 3 as user_defined_id,
            (sent ->> 4)::boolean as is_default_value,
            (sent ->> 5)::bigint as parent_id
        from jsonb_array_elements($2::jsonb) as sent(sent)
    ) as sent
    where o.id = $1::bigint
    returning stored.custom_field_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-custom-fields.update_values: Update allowed values that differ.
--   $1::bigint organization_id
--   $2::jsonb values
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update style_allowed_value as stored
    set
        value = sent.value,
        user_defined_id = sent.user_defined_id,
        is_default_value = sent.is_default_value,
        parent_allowed_value_id = sent.parent_id
    from (
        -- Allowed values of the request, a JSON array each.
        select
            (sent ->> 0)::bigint as field_id,
            (sent ->> 1)::bigint as id,
            sent ->> 2 as value,
            sent ->> 3 as user_defined_id,
            (sent ->> 4)::boolean as is_default_value,
            (sent ->> 5)::bigint as parent_id
        from jsonb_array_elements($2::jsonb) as sent(sent)
    ) as sent
    where stored.organization_id = $1::bigint and stored.id = sent.id
        and stored.custom_field_id = sent.field_id
    returning stored.custom_field_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-custom-fields.delete: Mark records as deleted.
--   $1::bigint organization_id
--   $2::text ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update style_custom_field set state = 'deleted'
    where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
    returning id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-custom-fields.update: Update the records that differ from their items.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    update style_custom_field as stored
    set name = item."name", user_defined_id = item."userDefinedId", state = item."state",
        internal_only = coalesce(item."internalOnly", false),
        is_mandatory = coalesce(item."isMandatory", false),
        is_supplier_editable = coalesce(item."isSupplierEditable", false),
        is_multi_line = coalesce(item."isMultiLine", false),
        is_sort_by_allowed_value_id = coalesce(item."isSortByAllowedValueId", false),
        diff_per_color = coalesce(item."diffPerColor", false),
        diff_per_size = coalesce(item."diffPerSize", false),
        use_in_thumbnail_view_group_by = coalesce(item."useInThumbnailViewGroupBy", false),
        max_char = item."maxChar", allowed_decimals = item."allowedDecimals",
        numeric_variant_calculation_formula = coalesce(item."numericVariantCalculationFormula", 'none')
    from jsonb_to_recordset($2::jsonb) as item(id bigint, "name" text, "userDefinedId" text, "state" text,
        "internalOnly" boolean, "isMandatory" boolean, "isSupplierEditable" boolean, "isMultiLine" boolean,
        "isSortByAllowedValueId" boolean, "diffPerColor" boolean, "diffPerSize" boolean,
        "useInThumbnailViewGroupBy" boolean, "maxChar" bigint, "allowedDecimals" bigint,
        "numericVariantCalculationFormula" text)
    join style_custom_field before on before.organization_id = $1::bigint and before.id = item.id
    where stored.organization_id = $1::bigint and stored.id = item.id
        and row(stored.name, stored.user_defined_id, stored.state, stored.internal_only, stored.is_mandatory,
            stored.is_supplier_editable, stored.is_multi_line, stored.is_sort_by_allowed_value_id,
            stored.diff_per_color, stored.diff_per_size, stored.use_in_thumbnail_view_group_by,
            stored.max_char, stored.allowed_decimals, stored.numeric_variant_calculation_formula) is distinct
            from row(item."name", item."userDefinedId", item."state", coalesce(item."internalOnly", false),
                coalesce(item."isMandatory", false), coalesce(item."isSupplierEditable", false),
                coalesce(item."isMultiLine", false), coalesce(item."isSortByAllowedValueId", false),
                coalesce(item."diffPerColor", false), coalesce(item."diffPerSize", false),
                coalesce(item."useInThumbnailViewGroupBy", false), item."maxChar", item."allowedDecimals",
                coalesce(item."numericVariantCalculationFormula", 'none'))
    returning stored.id, stored.name <> before.name as shown
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-custom-fields.insert: Insert new records.
--   $1::bigint organization_id
--   $2::jsonb items
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into style_custom_field as stored (organization_id, id, position, name, user_defined_id, type,
        state, internal_only, is_mandatory, is_supplier_editable, is_multi_line, is_sort_by_allowed_value_id,
        diff_per_color, diff_per_size, use_in_thumbnail_view_group_by, max_char, allowed_decimals,
        numeric_variant_calculation_formula, parent_custom_field_id)
    select
        o.id,
        item.id,
        coalesce(highest.position, 0) + row_number() over (partition by o.id order by item.id),
        item."name", item."userDefinedId", item."type", coalesce(item."state", 'active'),
            coalesce(item."internalOnly", false), coalesce(item."isMandatory", false),
            coalesce(item."isSupplierEditable", false), coalesce(item."isMultiLine", false),
            coalesce(item."isSortByAllowedValueId", false), coalesce(item."diffPerColor", false),
            coalesce(item."diffPerSize", false), coalesce(item."useInThumbnailViewGroupBy", false),
            item."maxChar", item."allowedDecimals", coalesce(item."numericVariantCalculationFormula", 'none'),
            item."parentCustomFieldId"
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as item(id bigint, "name" text, "userDefinedId" text,
        "type" text, "state" text, "internalOnly" boolean, "isMandatory" boolean,
        "isSupplierEditable" boolean, "isMultiLine" boolean, "isSortByAllowedValueId" boolean,
        "diffPerColor" boolean, "diffPerSize" boolean, "useInThumbnailViewGroupBy" boolean, "maxChar" bigint,
        "allowedDecimals" bigint, "numericVariantCalculationFormula" text, "parentCustomFieldId" bigint)
    left join lateral (
        select other.position from style_custom_field other
        where other.organization_id = $1::bigint and other.organization_id = o.id
        order by other.position desc
        limit 1
    ) as highest on true
    where o.id = $1::bigint
    returning stored.id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- style-custom-fields.shown_in_style_custom_fields: Find the style-custom-fields that show changed records, for the change feed.
--   $1::bigint organization_id
--   $2::bigint[] ids
--   $3::bigint after_id
--   $4::integer limit
--   $5::bigint record_id
-- Ids of records that show the changed ones, after id $3.
select distinct shown.id
from (
    select id from style_custom_field
    where organization_id = $1::bigint and parent_custom_field_id = any($2::bigint[])
) as shown
where shown.id > $3::bigint and ($5::bigint is null or shown.id = $5::bigint)
order by shown.id
limit $4::integer;

-- style-custom-fields.key_holders: Find the live records with own keys, for organizations whose own keys are unique.
--   $1::bigint organization_id
--   $2::text[] keys
-- Live records that have the own keys $2, where these are unique; with a parent, within records with the ids $3.
select id, user_defined_id as key, null::bigint as within_id
from style_custom_field
where organization_id = $1::bigint and user_defined_id = any($2::text[]) and state <> 'deleted';

-- style-custom-fields.shared_keys: Find own keys that several live records share, before they are made unique.
--   $1::bigint organization_id
--   $2::integer count
-- Own keys that several live records have, with the ids of some of these.
select user_defined_id as key, (array_agg(id order by id))[1:10] as ids
from style_custom_field
where organization_id = $1::bigint and user_defined_id is not null and state <> 'deleted'
group by user_defined_id, null::bigint
having count(*) > 1
order by user_defined_id, null::bigint
limit $2::integer;
