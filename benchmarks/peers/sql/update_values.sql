-- Whole sets are sent, of which few values are new: what is as it was is not written again.
update style_allowed_value as stored
set
    value = item.value,
    user_defined_id = item.user_defined_id,
    is_default_value = coalesce(item.is_default_value, false),
    parent_allowed_value_id = item.parent_id
from unnest($2::bigint[], $3::text[], $4::text[], $5::boolean[], $6::bigint[])
    as item(id, value, user_defined_id, is_default_value, parent_id)
where stored.organization_id = $1 and stored.id = item.id
    and (stored.value, stored.user_defined_id, stored.is_default_value, stored.parent_allowed_value_id)
        is distinct from
        (item.value, item.user_defined_id, coalesce(item.is_default_value, false), item.parent_id)
