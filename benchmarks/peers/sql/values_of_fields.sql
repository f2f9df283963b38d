select
    v.custom_field_id as "fieldId",
    v.id,
    v.value,
    v.user_defined_id as "userDefinedId",
    v.parent_allowed_value_id as "parentAllowedValueId"
from style_allowed_value v
join style_custom_field f on f.organization_id = v.organization_id and f.id = v.custom_field_id
where v.organization_id = $1 and v.custom_field_id = any($2::bigint[])
order by case when f.is_sort_by_allowed_value_id then v.user_defined_id else v.value end, v.id
