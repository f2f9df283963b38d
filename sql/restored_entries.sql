-- Entries of parts of styles that the restore of a style or a style color shows again (contract, States).

-- name: deleted_references
-- Part of checks: errors of entries that refer to deleted records. The records stay locked until the end of the transaction.
-- Restored ones have the number of the item, the style, and the style color if it is restored by itself. Lines keep deleted items.
with restored as materialized (
    {{restored}}
),
step as materialized (
    select restored.n, step.supplier_id
    from restored
    join style_supplier_facility step
        on step.organization_id = $1::bigint and step.style_id = restored.style_id and restored.color_id is null
),
line as materialized (
    select
        restored.n,
        restored.color_id,
        line.id,
        case when restored.color_id is null then line.supplier_id end as supplier_id,
        case when restored.color_id is null then line.care_instruction_layer_id end as layer_id
    from restored
    join style_item line on line.organization_id = $1::bigint and line.style_id = restored.style_id
),
line_color as materialized (
    select restored.n, entry.color_id
    from line as restored
    join style_item_color entry
        on entry.organization_id = $1::bigint and entry.style_item_id = restored.id and {{is_restored}}
),
care_set as materialized (
    select restored.n, care.id
    from restored
    join style_care_set care on care.organization_id = $1::bigint and care.style_id = restored.style_id and {{is_restored}}
),
set_icon as materialized (
    select care_set.n, icon.care_instruction_icon_id as icon_id
    from care_set
    join style_care_icon icon on icon.organization_id = $1::bigint and icon.style_care_set_id = care_set.id
),
set_layer as materialized (
    select care_set.n, layer.id, layer.care_instruction_layer_id as layer_id
    from care_set
    join style_care_layer layer on layer.organization_id = $1::bigint and layer.style_care_set_id = care_set.id
),
set_material as materialized (
    select set_layer.n, material.care_instruction_material_id as material_id
    from set_layer
    join style_care_material material
        on material.organization_id = $1::bigint and material.style_care_layer_id = set_layer.id
),
valued as materialized (
    select distinct restored.n, entry.custom_field_id
    from restored
    join custom_field_value entry
        on entry.organization_id = $1::bigint and entry.style_id = restored.style_id and {{is_restored}}
),
suppliers as materialized (
    select id, state from supplier
    where organization_id = $1::bigint
        and id = any(array(select supplier_id from step union select supplier_id from line))
    order by id
    for key share
),
colors as materialized (
    select id, state from color
    where organization_id = $1::bigint and id = any(array(select color_id from line_color))
    order by id
    for key share
),
icons as materialized (
    select id, state from care_instruction_icon
    where organization_id = $1::bigint and id = any(array(select icon_id from set_icon))
    order by id
    for key share
),
layers as materialized (
    select id, state from care_instruction_layer
    where organization_id = $1::bigint
        and id = any(array(select layer_id from line union select layer_id from set_layer))
    order by id
    for key share
),
materials as materialized (
    select id, state from care_instruction_material
    where organization_id = $1::bigint and id = any(array(select material_id from set_material))
    order by id
    for key share
),
fields as materialized (
    select id, state from style_custom_field
    where organization_id = $1::bigint and id = any(array(select custom_field_id from valued))
    order by id
    for key share
),
priced as materialized (
    select distinct restored.n, entry.price_list_id
    from restored
    join style_price entry
        on entry.organization_id = $1::bigint and entry.style_id = restored.style_id and {{is_restored}}
),
lists as materialized (
    select id, state from price_list
    where organization_id = $1::bigint and id = any(array(select price_list_id from priced))
    order by id
    for key share
)
select
    needed.n::integer as item,
    'validation_error.unknown_reference' as type,
    '["state"]' as path,
    min(needed.message) as message
from (
    select step.n, suppliers.state, 'Its supplier facilities have a deleted supplier.' as message
    from step
    join suppliers on suppliers.id = step.supplier_id
    union all
    select valued.n, fields.state, 'It has values of a deleted custom field.'
    from valued
    join fields on fields.id = valued.custom_field_id
    union all
    select line.n, suppliers.state, 'Its items have a deleted supplier.'
    from line
    join suppliers on suppliers.id = line.supplier_id
    union all
    select line.n, layers.state, 'Its items have a deleted layer.'
    from line
    join layers on layers.id = line.layer_id
    union all
    select line_color.n, colors.state, 'Its items have a deleted color.'
    from line_color
    join colors on colors.id = line_color.color_id
    union all
    select set_icon.n, icons.state, 'Its care instructions have a deleted icon.'
    from set_icon
    join icons on icons.id = set_icon.icon_id
    union all
    select set_layer.n, layers.state, 'Its care instructions have a deleted layer.'
    from set_layer
    join layers on layers.id = set_layer.layer_id
    union all
    select set_material.n, materials.state, 'Its care instructions have a deleted material.'
    from set_material
    join materials on materials.id = set_material.material_id
    union all
    select priced.n, lists.state, 'It has prices in a deleted price list.'
    from priced
    join lists on lists.id = priced.price_list_id
) as needed
where needed.state = 'deleted'
group by needed.n;

-- name: is_restored
-- Entries of the restored style color, or of a restored style those that no deleted style color hides.
(style_color_id = restored.color_id or restored.color_id is null and {{is_shown}})
