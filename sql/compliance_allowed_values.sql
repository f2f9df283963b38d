-- Allowed values of compliance custom fields (contract, Compliance custom fields).

-- name: insert_values(organization_id, values)
insert into compliance_allowed_value as stored (
    organization_id, id, custom_field_id, value, user_defined_id, is_default_value
)
select o.id, sent.id, sent.field_id, sent.value, sent.user_defined_id, sent.is_default_value
from organization o
cross join ({{sent}}) as sent
where o.id = $1::bigint
returning stored.custom_field_id as id;

-- name: sent
-- Allowed values of the request, a JSON array each.
select
    (sent ->> 0)::bigint as field_id,
    (sent ->> 1)::bigint as id,
    sent ->> 2 as value,
    sent ->> 3 as user_defined_id,
    (sent ->> 4)::boolean as is_default_value
from jsonb_array_elements($2::jsonb) as sent(sent);

-- name: stored_values(organization_id, ids)
select
    array_agg(custom_field_id),
    array_agg(id),
    array_agg(value),
    array_agg(user_defined_id),
    array_agg(is_default_value)
from compliance_allowed_value
where organization_id = $1::bigint and custom_field_id = any((select $2::text::bigint[])::bigint[]);

-- name: update_values(organization_id, values)
update compliance_allowed_value as stored
set
    value = sent.value,
    user_defined_id = sent.user_defined_id,
    is_default_value = sent.is_default_value
from ({{sent}}) as sent
where stored.organization_id = $1::bigint and stored.id = sent.id and stored.custom_field_id = sent.field_id
returning stored.custom_field_id as id;
