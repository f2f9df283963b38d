-- Filters of styles by custom fields (contract, Filters by reference).

-- name: filter
-- Condition of a page: styles with a value that matches in one of the custom fields {{keys}}.
record.id = any(array(
    select entry.style_id
    from custom_field_value entry
    left join style_allowed_value choice
        on choice.organization_id = $1::bigint and choice.id = entry.allowed_value_id
    where entry.organization_id = $1::bigint and entry.custom_field_id = any({{keys}})
        and {{is_shown}} and {{condition}}
))

-- name: filtered
-- What texts are compared with, of fields of any type.
coalesce(
    entry.text,
    case when choice.user_defined_id ~ '\S' then choice.user_defined_id else choice.value end,
    trim_scale(entry.number)::text
)
