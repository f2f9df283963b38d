update style_custom_field
set
    name = item.name,
    user_defined_id = item.user_defined_id,
    state = item.state,
    internal_only = coalesce(item.internal_only, false),
    is_mandatory = coalesce(item.is_mandatory, false),
    is_supplier_editable = coalesce(item.is_supplier_editable, false),
    is_multi_line = coalesce(item.is_multi_line, false),
    is_sort_by_allowed_value_id = coalesce(item.is_sort_by_allowed_value_id, false),
    diff_per_color = coalesce(item.diff_per_color, false),
    diff_per_size = coalesce(item.diff_per_size, false),
    use_in_thumbnail_view_group_by = coalesce(item.use_in_thumbnail_view_group_by, false),
    max_char = item.max_char,
    allowed_decimals = item.allowed_decimals,
    numeric_variant_calculation_formula = coalesce(item.formula, 'none')
from unnest(
    $2::bigint[], $3::text[], $4::text[], $5::text[], $6::boolean[], $7::boolean[], $8::boolean[],
    $9::boolean[], $10::boolean[], $11::boolean[], $12::boolean[], $13::boolean[], $14::integer[],
    $15::integer[], $16::text[]
) as item(
    id, name, user_defined_id, state, internal_only, is_mandatory, is_supplier_editable,
    is_multi_line, is_sort_by_allowed_value_id, diff_per_color, diff_per_size,
    use_in_thumbnail_view_group_by, max_char, allowed_decimals, formula
)
where style_custom_field.organization_id = $1 and style_custom_field.id = item.id
