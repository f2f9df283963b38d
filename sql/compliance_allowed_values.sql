-- Allowed values of compliance custom fields (specification, Compliance custom field).

-- name: insert_allowed_values
insert into compliance_allowed_value (
    organization_id, custom_field_id, value, user_defined_id, is_default_value
)
select $1::bigint, item.id, sent.value, sent.user_defined_id, coalesce(sent.is_default_value, false)
from jsonb_to_recordset($2::jsonb) as item(id bigint, "allowedValues" jsonb)
cross join lateral rows from (
    jsonb_to_recordset(item."allowedValues")
        as (id bigint, value text, "userDefinedId" text, "isDefaultValue" boolean)
) with ordinality as sent(id, value, user_defined_id, is_default_value, n)
where sent.id is null
order by item.id, sent.n;

-- name: update_allowed_values
update compliance_allowed_value as stored
set
    value = sent.value,
    user_defined_id = sent."userDefinedId",
    is_default_value = coalesce(sent."isDefaultValue", false)
from jsonb_to_recordset($2::jsonb) as item(id bigint, "allowedValues" jsonb)
cross join lateral jsonb_to_recordset(item."allowedValues")
    as sent(id bigint, value text, "userDefinedId" text, "isDefaultValue" boolean)
where stored.organization_id = $1::bigint and stored.id = sent.id and stored.custom_field_id = item.id
    and (stored.value, stored.user_defined_id, stored.is_default_value)
        is distinct from (sent.value, sent."userDefinedId", coalesce(sent."isDefaultValue", false));
