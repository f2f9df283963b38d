-- Allowed values of compliance custom fields (specification, Compliance custom field).

-- name: compare_values
with sent as materialized (
    {{sent}}
),
stored as (
    select custom_field_id as field_id, id, value, user_defined_id, is_default_value
    from compliance_allowed_value
    where organization_id = $1::bigint and custom_field_id = any($3::bigint[])
)
select
    case when stored.id is null then 'unknown' when sent.id is null then 'removed' else 'changed' end as change,
    sent.n,
    id
from sent
full join stored using (field_id, id)
where stored.id is null or sent.id is null
    or (stored.value, stored.user_defined_id, stored.is_default_value)
        is distinct from (sent.value, sent.user_defined_id, sent.is_default_value);

-- name: insert_values
insert into compliance_allowed_value (
    organization_id, custom_field_id, value, user_defined_id, is_default_value
)
select $1::bigint, field_id, value, user_defined_id, is_default_value
from ({{sent}}) as sent
order by field_id, n;

-- name: sent
-- Allowed values as they were sent, each an array.
select
    (sent ->> 0)::bigint as field_id,
    (sent ->> 1)::bigint as id,
    sent ->> 2 as value,
    sent ->> 3 as user_defined_id,
    coalesce((sent ->> 4)::boolean, false) as is_default_value,
    n
from jsonb_array_elements($2::jsonb) with ordinality as sent(sent, n);

-- name: update_values
update compliance_allowed_value as stored
set
    value = sent.value,
    user_defined_id = sent.user_defined_id,
    is_default_value = sent.is_default_value
from ({{sent}}) as sent
where stored.organization_id = $1::bigint and stored.id = sent.id and stored.custom_field_id = sent.field_id;
