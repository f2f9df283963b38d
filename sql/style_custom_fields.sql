-- Style custom fields (contract, Style custom fields), besides custom_fields.sql.

-- name: documents(organization_id)
with record as (
    select f.*, parent.name as parent_custom_field_name
    from style_custom_field f
    left join style_custom_field parent
        on parent.organization_id = $1::bigint and parent.id = f.parent_custom_field_id
    where f.organization_id = $1::bigint
),
page as materialized (
    {{page}}
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
    {{brands}}
),
groups as (
    {{groups}}
),
categories as (
    {{categories}}
)
select
    page_order,
    sort_values,
    '{"id":' || id
    || ',"name":' || to_json(name)
    || coalesce(',"userDefinedId":' || to_json(user_defined_id), '')
    || ',"type":"' || type
    || '","state":"' || state
    || '","position":' || position
    || ',"internalOnly":' || internal_only
    || ',"isMandatory":' || is_mandatory
    || ',"isSupplierEditable":' || is_supplier_editable
    || ',"isMultiLine":' || is_multi_line
    || ',"isSortByAllowedValueId":' || is_sort_by_allowed_value_id
    || ',"diffPerColor":' || diff_per_color
    || ',"diffPerSize":' || diff_per_size
    || ',"useInThumbnailViewGroupBy":' || use_in_thumbnail_view_group_by
    || ',"maxChar":' || coalesce(max_char::text, 'null')
    || coalesce(',"allowedDecimals":' || allowed_decimals, '')
    || ',"numericVariantCalculationFormula":"' || numeric_variant_calculation_formula || '"'
    || coalesce(',"parentCustomFieldId":' || parent_custom_field_id, '')
    || coalesce(',"parentCustomFieldName":' || to_json(parent_custom_field_name), '')
    || ',"allowedValues":[' || coalesce(v.documents, '')
    || '],"associatedBrands":[' || coalesce(b.documents, '')
    || '],"associatedGroups":[' || coalesce(g.documents, '')
    || '],"associatedStyleCategories":[' || coalesce(c.documents, '')
    || '],"properties":[]}' as document
from page
left join allowed_values v on v.custom_field_id = page.id
left join brands b on b.custom_field_id = page.id
left join groups g on g.custom_field_id = page.id
left join categories c on c.custom_field_id = page.id;

-- name: insert(organization_id, items)
insert into style_custom_field (
    organization_id, id, name, user_defined_id, type, state, position, internal_only, is_mandatory,
    is_supplier_editable, is_multi_line, is_sort_by_allowed_value_id, diff_per_color, diff_per_size,
    use_in_thumbnail_view_group_by, max_char, allowed_decimals, numeric_variant_calculation_formula,
    parent_custom_field_id
)
select
    $1::bigint,
    item.id,
    item.name,
    item."userDefinedId",
    item.type,
    coalesce(item.state, 'active'),
    highest.position + row_number() over (order by item.id),
    coalesce(item."internalOnly", false),
    coalesce(item."isMandatory", false),
    coalesce(item."isSupplierEditable", false),
    coalesce(item."isMultiLine", false),
    coalesce(item."isSortByAllowedValueId", false),
    coalesce(item."diffPerColor", false),
    coalesce(item."diffPerSize", false),
    coalesce(item."useInThumbnailViewGroupBy", false),
    item."maxChar",
    item."allowedDecimals",
    coalesce(item."numericVariantCalculationFormula", 'none'),
    item."parentCustomFieldId"
from jsonb_to_recordset($2::jsonb) as item(
    id bigint, name text, "userDefinedId" text, type text, state text, "internalOnly" boolean,
    "isMandatory" boolean, "isSupplierEditable" boolean, "isMultiLine" boolean,
    "isSortByAllowedValueId" boolean, "diffPerColor" boolean, "diffPerSize" boolean,
    "useInThumbnailViewGroupBy" boolean, "maxChar" integer, "allowedDecimals" integer,
    "numericVariantCalculationFormula" text, "parentCustomFieldId" bigint
)
cross join (
    select coalesce(max(position), 0) as position from style_custom_field where organization_id = $1::bigint
) as highest
returning id;

-- name: shown_in_style_custom_fields(organization_id, ids)
select id from style_custom_field
where organization_id = $1::bigint and parent_custom_field_id = any($2::bigint[]);

-- name: update(organization_id, items)
update style_custom_field as stored
set
    name = item.name,
    user_defined_id = item."userDefinedId",
    state = item.state,
    internal_only = coalesce(item."internalOnly", false),
    is_mandatory = coalesce(item."isMandatory", false),
    is_supplier_editable = coalesce(item."isSupplierEditable", false),
    is_multi_line = coalesce(item."isMultiLine", false),
    is_sort_by_allowed_value_id = coalesce(item."isSortByAllowedValueId", false),
    diff_per_color = coalesce(item."diffPerColor", false),
    diff_per_size = coalesce(item."diffPerSize", false),
    use_in_thumbnail_view_group_by = coalesce(item."useInThumbnailViewGroupBy", false),
    max_char = item."maxChar",
    allowed_decimals = item."allowedDecimals",
    numeric_variant_calculation_formula = coalesce(item."numericVariantCalculationFormula", 'none')
from jsonb_to_recordset($2::jsonb) as item(
    id bigint, name text, "userDefinedId" text, state text, "internalOnly" boolean, "isMandatory" boolean,
    "isSupplierEditable" boolean, "isMultiLine" boolean, "isSortByAllowedValueId" boolean,
    "diffPerColor" boolean, "diffPerSize" boolean, "useInThumbnailViewGroupBy" boolean, "maxChar" integer,
    "allowedDecimals" integer, "numericVariantCalculationFormula" text
)
join style_custom_field before on before.organization_id = $1::bigint and before.id = item.id
where stored.organization_id = $1::bigint and stored.id = item.id
    and (
        stored.name, stored.user_defined_id, stored.state, stored.internal_only, stored.is_mandatory,
        stored.is_supplier_editable, stored.is_multi_line, stored.is_sort_by_allowed_value_id,
        stored.diff_per_color, stored.diff_per_size, stored.use_in_thumbnail_view_group_by,
        stored.max_char, stored.allowed_decimals, stored.numeric_variant_calculation_formula
    ) is distinct from (
        item.name, item."userDefinedId", item.state, coalesce(item."internalOnly", false),
        coalesce(item."isMandatory", false), coalesce(item."isSupplierEditable", false),
        coalesce(item."isMultiLine", false), coalesce(item."isSortByAllowedValueId", false),
        coalesce(item."diffPerColor", false), coalesce(item."diffPerSize", false),
        coalesce(item."useInThumbnailViewGroupBy", false), item."maxChar", item."allowedDecimals",
        coalesce(item."numericVariantCalculationFormula", 'none')
    )
returning stored.id, stored.name <> before.name as shown;

-- name: writables(organization_id)
with record as (
    select f.* from style_custom_field f where f.organization_id = $1::bigint
),
page as materialized (
    {{page}}
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
    {{brands}}
),
groups as (
    {{groups}}
),
categories as (
    {{categories}}
)
select
    page_order,
    sort_values,
    '{"name":' || to_json(name)
    || ',"userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null')
    || ',"state":"' || state
    || '","internalOnly":' || internal_only
    || ',"isMandatory":' || is_mandatory
    || ',"isSupplierEditable":' || is_supplier_editable
    || ',"isMultiLine":' || is_multi_line
    || ',"isSortByAllowedValueId":' || is_sort_by_allowed_value_id
    || ',"diffPerColor":' || diff_per_color
    || ',"diffPerSize":' || diff_per_size
    || ',"useInThumbnailViewGroupBy":' || use_in_thumbnail_view_group_by
    || ',"maxChar":' || coalesce(max_char::text, 'null')
    || ',"allowedDecimals":' || coalesce(allowed_decimals::text, 'null')
    || ',"numericVariantCalculationFormula":"' || numeric_variant_calculation_formula
    || '","allowedValues":[' || coalesce(v.documents, '')
    || '],"associatedBrands":[' || coalesce(b.documents, '')
    || '],"associatedGroups":[' || coalesce(g.documents, '')
    || '],"associatedStyleCategories":[' || coalesce(c.documents, '') || ']}' as document
from page
left join allowed_values v on v.custom_field_id = page.id
left join brands b on b.custom_field_id = page.id
left join groups g on g.custom_field_id = page.id
left join categories c on c.custom_field_id = page.id;
