select
    f.id,
    f.name,
    f.user_defined_id as "userDefinedId",
    f.type,
    f.state,
    f.position,
    f.internal_only as "internalOnly",
    f.is_mandatory as "isMandatory",
    f.is_supplier_editable as "isSupplierEditable",
    f.is_multi_line as "isMultiLine",
    f.is_sort_by_allowed_value_id as "isSortByAllowedValueId",
    f.diff_per_color as "diffPerColor",
    f.diff_per_size as "diffPerSize",
    f.use_in_thumbnail_view_group_by as "useInThumbnailViewGroupBy",
    f.max_char as "maxChar",
    f.allowed_decimals as "allowedDecimals",
    f.numeric_variant_calculation_formula as "numericVariantCalculationFormula",
    f.parent_custom_field_id as "parentCustomFieldId",
    parent.name as "parentCustomFieldName"
from style_custom_field f
left join style_custom_field parent
    on parent.organization_id = f.organization_id and parent.id = f.parent_custom_field_id
where f.organization_id = $1 and f.id = any($2::bigint[])
