-- Allowed values of style custom fields, which go with values of the parent field (specification, Style
-- custom field).

-- name: check_parent_values
select
    item.n::integer as item,
    'validation_error.unknown_reference' as type,
    'allowedValues[' || sent.n - 1 || '].parentAllowedValueId' as field,
    'The parent field has no such allowed value.' as value
from rows from (
    jsonb_to_recordset($2::jsonb) as (id bigint, "parentCustomFieldId" bigint, "allowedValues" jsonb)
) with ordinality as item(id, parent_id, allowed_values, n)
left join style_custom_field stored on stored.organization_id = $1::bigint and stored.id = item.id
cross join lateral rows from (
    jsonb_to_recordset(item.allowed_values) as ("parentAllowedValueId" bigint)
) with ordinality as sent(parent_id, n)
where sent.parent_id is not null and not exists (
    select from style_allowed_value v
    where v.organization_id = $1::bigint and v.id = sent.parent_id
        and v.custom_field_id = case when stored.id is null
            then item.parent_id else stored.parent_custom_field_id
        end
);

-- name: check_removed_values
-- What values of live fields point to stays; both as they will be after the batch.
with item as materialized (
    select id, allowed_values, n
    from rows from (
        jsonb_to_recordset($2::jsonb) as (id bigint, "allowedValues" jsonb)
    ) with ordinality as item(id, allowed_values, n)
),
sent as materialized (
    select item.id as field_id, sent.id, sent."parentAllowedValueId" as parent_id
    from item
    cross join lateral jsonb_to_recordset(item.allowed_values)
        as sent(id bigint, "parentAllowedValueId" bigint)
),
removed as materialized (
    select item.n, item.id as field_id, v.id, v.value
    from item
    join style_allowed_value v on v.organization_id = $1::bigint and v.custom_field_id = item.id
    where v.id not in (select id from sent where id is not null)
),
pointer as (
    select field_id, parent_id from sent
    union all
    select f.id, v.parent_allowed_value_id
    from style_allowed_value v
    join style_custom_field f on f.organization_id = $1::bigint and f.id = v.custom_field_id
    where v.organization_id = $1::bigint and v.parent_allowed_value_id = any(array(select id from removed))
        and f.state <> 'deleted' and f.id <> all($3::bigint[])
        and not exists (select from item where item.id = f.id)
),
used as (
    select removed.n, removed.id, removed.value || ' (' || count(*) || ')' as value
    from removed
    join pointer on pointer.parent_id = removed.id
    join style_custom_field child on child.organization_id = $1::bigint and child.id = pointer.field_id
        and child.parent_custom_field_id = removed.field_id
    group by removed.n, removed.id, removed.value
)
select
    n::integer as item,
    'conflict.in_use' as type,
    'allowedValues' as field,
    'Values of other custom fields go with: ' || string_agg(value, ', ' order by id) || '.' as value
from used
group by n;

-- name: forget_parent_values
-- Only deleted fields and values on their way out still point to what is removed.
with item as materialized (
    select id, "allowedValues" as allowed_values
    from jsonb_to_recordset($2::jsonb) as item(id bigint, "allowedValues" jsonb)
),
sent as materialized (
    select sent.id from item cross join lateral jsonb_to_recordset(item.allowed_values) as sent(id bigint)
),
removed as materialized (
    select v.id
    from item
    join style_allowed_value v on v.organization_id = $1::bigint and v.custom_field_id = item.id
    where v.id not in (select id from sent where id is not null)
)
update style_allowed_value set parent_allowed_value_id = null
where organization_id = $1::bigint and parent_allowed_value_id = any(array(select id from removed));

-- name: insert_allowed_values
insert into style_allowed_value (
    organization_id, custom_field_id, value, user_defined_id, is_default_value, parent_allowed_value_id
)
select
    $1::bigint, item.id, sent.value, sent.user_defined_id, coalesce(sent.is_default_value, false), sent.parent_id
from jsonb_to_recordset($2::jsonb) as item(id bigint, "allowedValues" jsonb)
cross join lateral rows from (
    jsonb_to_recordset(item."allowedValues") as (
        id bigint, value text, "userDefinedId" text, "isDefaultValue" boolean, "parentAllowedValueId" bigint
    )
) with ordinality as sent(id, value, user_defined_id, is_default_value, parent_id, n)
where sent.id is null
order by item.id, sent.n;

-- name: update_allowed_values
update style_allowed_value as stored
set
    value = sent.value,
    user_defined_id = sent."userDefinedId",
    is_default_value = coalesce(sent."isDefaultValue", false),
    parent_allowed_value_id = sent."parentAllowedValueId"
from jsonb_to_recordset($2::jsonb) as item(id bigint, "allowedValues" jsonb)
cross join lateral jsonb_to_recordset(item."allowedValues") as sent(
    id bigint, value text, "userDefinedId" text, "isDefaultValue" boolean, "parentAllowedValueId" bigint
)
where stored.organization_id = $1::bigint and stored.id = sent.id and stored.custom_field_id = item.id
    and (stored.value, stored.user_defined_id, stored.is_default_value, stored.parent_allowed_value_id)
        is distinct from (
            sent.value, sent."userDefinedId", coalesce(sent."isDefaultValue", false), sent."parentAllowedValueId"
        );
