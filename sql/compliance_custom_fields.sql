-- Compliance custom fields (contract, Compliance custom fields), besides custom_fields.sql.

-- name: documents(organization_id)
with record as (
    select f.*, parent.name as parent_custom_field_name
    from compliance_custom_field f
    left join compliance_custom_field parent
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
    '{"id":' || id
    || ',"name":' || to_json(name)
    || ',"userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null')
    || ',"type":"' || type
    || '","state":"' || state
    || '","position":' || position
    || ',"internalOnly":' || internal_only
    || ',"isMandatory":' || is_mandatory
    || ',"isMultiLine":' || is_multi_line
    || ',"isSortByAllowedValueId":' || is_sort_by_allowed_value_id
    || ',"maxChar":' || coalesce(max_char::text, 'null')
    || ',"allowedDecimals":' || coalesce(allowed_decimals::text, 'null')
    || ',"parentCustomFieldId":' || coalesce(parent_custom_field_id::text, 'null')
    || coalesce(',"parentCustomFieldName":' || to_json(parent_custom_field_name), '')
    || ',"allowedValues":[' || coalesce(v.documents, '')
    || '],"properties":[]}' as document
from page
left join allowed_values v on v.custom_field_id = page.id;

-- name: insert(organization_id, items)
insert into compliance_custom_field (
    organization_id, id, name, user_defined_id, type, state, position, internal_only, is_mandatory,
    is_multi_line, is_sort_by_allowed_value_id, max_char, allowed_decimals, parent_custom_field_id
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
    coalesce(item."isMultiLine", false),
    coalesce(item."isSortByAllowedValueId", false),
    item."maxChar",
    item."allowedDecimals",
    item."parentCustomFieldId"
from jsonb_to_recordset($2::jsonb) as item(
    id bigint, name text, "userDefinedId" text, type text, state text, "internalOnly" boolean,
    "isMandatory" boolean, "isMultiLine" boolean, "isSortByAllowedValueId" boolean, "maxChar" integer,
    "allowedDecimals" integer, "parentCustomFieldId" bigint
)
cross join (
    select coalesce(max(position), 0) as position from compliance_custom_field where organization_id = $1::bigint
) as highest
returning id;

-- name: shown_in_compliance_custom_fields(organization_id, ids)
select id from compliance_custom_field
where organization_id = $1::bigint and parent_custom_field_id = any($2::bigint[]);

-- name: update(organization_id, items)
update compliance_custom_field as stored
set
    name = item.name,
    user_defined_id = item."userDefinedId",
    state = item.state,
    internal_only = coalesce(item."internalOnly", false),
    is_mandatory = coalesce(item."isMandatory", false),
    is_multi_line = coalesce(item."isMultiLine", false),
    is_sort_by_allowed_value_id = coalesce(item."isSortByAllowedValueId", false),
    max_char = item."maxChar",
    allowed_decimals = item."allowedDecimals",
    parent_custom_field_id = item."parentCustomFieldId"
from jsonb_to_recordset($2::jsonb) as item(
    id bigint, name text, "userDefinedId" text, state text, "internalOnly" boolean, "isMandatory" boolean,
    "isMultiLine" boolean, "isSortByAllowedValueId" boolean, "maxChar" integer, "allowedDecimals" integer,
    "parentCustomFieldId" bigint
)
join compliance_custom_field before on before.organization_id = $1::bigint and before.id = item.id
where stored.organization_id = $1::bigint and stored.id = item.id
    and (
        stored.name, stored.user_defined_id, stored.state, stored.internal_only, stored.is_mandatory,
        stored.is_multi_line, stored.is_sort_by_allowed_value_id, stored.max_char,
        stored.allowed_decimals, stored.parent_custom_field_id
    ) is distinct from (
        item.name, item."userDefinedId", item.state, coalesce(item."internalOnly", false),
        coalesce(item."isMandatory", false), coalesce(item."isMultiLine", false),
        coalesce(item."isSortByAllowedValueId", false), item."maxChar", item."allowedDecimals",
        item."parentCustomFieldId"
    )
returning stored.id, stored.name <> before.name as shown;

-- name: writables(organization_id)
with record as (
    select f.* from compliance_custom_field f where f.organization_id = $1::bigint
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
            || ',"isDefaultValue":' || v.is_default_value || '}',
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
    '{"name":' || to_json(name)
    || ',"userDefinedId":' || coalesce(to_json(user_defined_id)::text, 'null')
    || ',"state":"' || state
    || '","internalOnly":' || internal_only
    || ',"isMandatory":' || is_mandatory
    || ',"isMultiLine":' || is_multi_line
    || ',"isSortByAllowedValueId":' || is_sort_by_allowed_value_id
    || ',"maxChar":' || coalesce(max_char::text, 'null')
    || ',"allowedDecimals":' || coalesce(allowed_decimals::text, 'null')
    || ',"parentCustomFieldId":' || coalesce(parent_custom_field_id::text, 'null')
    || ',"allowedValues":[' || coalesce(v.documents, '') || ']}' as document
from page
left join allowed_values v on v.custom_field_id = page.id;
