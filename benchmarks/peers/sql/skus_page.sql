select
    sku.id,
    sku.sku,
    sku.style_color_id as "styleColorId",
    sku.size_range_size_id as "sizeRangeSizeId",
    sku.net_weight::float8 as "netWeight",
    sku.state,
    sku.style_id as "styleId",
    style.number as "styleNumber",
    sku.color_id as "colorId",
    color.name as "colorName",
    size.name as "sizeName",
    barcode.barcode as gtin
from (
    select * from style_sku
    where organization_id = $1 and state <> 'deleted' and id > $2
    order by id
    limit $3
) as sku
join style on style.organization_id = $1 and style.id = sku.style_id
join color on color.organization_id = $1 and color.id = sku.color_id
join size_range_size size on size.organization_id = $1 and size.id = sku.size_range_size_id
left join barcode
    on barcode.organization_id = $1 and barcode.style_sku_id = sku.id and barcode.is_primary
    and barcode.gtin14 is not null and barcode.state <> 'deleted'
order by sku.id
