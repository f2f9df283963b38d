-- What styles lack in a channel (contract, Completeness). In every statement $2 is the channel and $3 the day.

-- name: active_colors
-- Active colors of the style n, by the names that shops show.
(
    select made.id, coalesce(made.name, color.name) as name
    from (
        select one.* from style_color one
        where one.organization_id = $1::bigint and one.style_id between n.id and n.id
        order by one.style_id, one.color_id
        offset 0
    ) as made
    cross join lateral ({{name from color by made.color_id}}) as color
    where made.state = 'active'
)

-- name: active_skus
-- Active SKUs of the style n.
(
    select made.id, made.sku, made.style_color_id, made.size_range_size_id
    from (
        select one.* from style_sku one
        where one.organization_id = $1::bigint and one.style_id between n.id and n.id
        order by one.style_id, one.id
        offset 0
    ) as made
    where made.state = 'active'
)

-- name: choosable
-- Fields with a choice, and where: those of which the style n has the parent's value.
select choice.custom_field_id, coalesce(parent.style_color_id, 0), coalesce(parent.size_range_size_id, 0)
from (
    select one.* from custom_field_value one
    where one.organization_id = $1::bigint and one.style_id between n.id and n.id
    order by one.style_id
    offset 0
) as parent
cross join lateral (
    select one.custom_field_id from style_allowed_value one
    where one.organization_id = $1::bigint and one.parent_allowed_value_id between parent.allowed_value_id and parent.allowed_value_id
    order by one.parent_allowed_value_id
    offset 0
) as choice

-- name: complete(organization_id, channel_id, day, style_id)
with mandatory as materialized (
    {{mandatory}}
),
list as materialized (
    {{lists}}
),
spoken as materialized (
    {{spoken}}
)
select
    convert_to(
        '{"styleId":' || n.id || ',"channelId":' || channel.id
        || ',"isComplete":' || case cardinality(missing.entries) when 0 then 'true' else 'false' end
        || ',"missing":' || to_json(missing.entries) || '}',
        'UTF8'
    ) as document,
    $3::date as day
from style n
left join channel on channel.organization_id = $1::bigint and channel.id = $2::bigint and channel.state <> 'deleted'
cross join lateral (
    select array(
        select to_json(entry)
        from (
            {{rows}}
            from (
                {{missing}}
            ) as lacking
            order by {{order}}
            limit 1000
        ) as entry
    ) as entries
    offset 0
) as missing
where n.organization_id = $1::bigint and n.id = $4::bigint;

-- name: labels
-- Style colors for which the style n has a care label; 0 stands for all.
select coalesce(care.style_color_id, 0) from style_care_set care
where care.organization_id = $1::bigint and care.style_id = n.id

-- name: lists
-- Price lists of the channel.
select list.*
from channel_price_list link
cross join lateral ({{* from price_list by link.price_list_id}}) as list
where link.organization_id = $1::bigint and link.channel_id = $2::bigint

-- name: live_channel(organization_id, id)
select id from channel where organization_id = $1::bigint and id = $2::bigint and state <> 'deleted';

-- name: mandatory
-- Mandatory custom fields with their restrictions, if the channel requires them; a child differs as the first of its
-- parents does.
select
    f.id,
    f.name,
    f.type,
    root.diff_per_color,
    root.diff_per_size,
    array(
        select link.brand_id from custom_field_brand link
        where link.organization_id = $1::bigint and link.custom_field_id = f.id
    ) as brand_ids,
    array(
        select link.group_id from custom_field_group link
        where link.organization_id = $1::bigint and link.custom_field_id = f.id
    ) as group_ids,
    array(
        select link.style_category_id from custom_field_style_category link
        where link.organization_id = $1::bigint and link.custom_field_id = f.id
    ) as category_ids
from style_custom_field f
cross join lateral (
    with recursive line as (
        select f.parent_custom_field_id as parent_id, f.diff_per_color, f.diff_per_size
        union all
        select parent.parent_custom_field_id, parent.diff_per_color, parent.diff_per_size
        from line
        join style_custom_field parent on parent.organization_id = $1::bigint and parent.id = line.parent_id
    )
    select line.diff_per_color, line.diff_per_size from line where line.parent_id is null
) as root
where f.organization_id = $1::bigint and f.is_mandatory and f.state = 'active'
    and exists (
        select 1 from channel
        where channel.organization_id = $1::bigint and channel.id = $2::bigint and 'customFields' = any(channel.requirements)
    )

-- name: missing
-- What the style n lacks of the requirements of the channel, in the order of these. Pairs are compared by "not in", which
-- hashes what it compares with, once for the style; "not exists" may read that for each pair. It holds no nulls.
select
    field.place,
    field.requirement,
    '/api/styles/' || n.id || '#' || field.name as path,
    null::bigint as style_color_id,
    null::bigint as size_range_size_id,
    null::bigint as language_id,
    null::bigint as price_list_id,
    'The style has no ' || field.noun || '.' as message
from (
    values
        (1, 'brand', 'brandId', n.brand_id is null, 'brand'),
        (2, 'season', 'seasonId', n.season_id is null, 'season'),
        (3, 'category', 'styleCategoryId', n.style_category_id is null, 'style category'),
        (4, 'supplier', 'supplierId', n.supplier_id is null, 'supplier'),
        (5, 'description', 'description', coalesce(n.description, '') !~ '\S', 'description'),
        (6, 'countryOfOrigin', 'countryOfOriginCode', n.country_of_origin_code is null, 'country of origin'),
        (7, 'hsCode', 'hsCode', n.hs_code is null, 'HS code'),
        (8, 'netWeight', 'netWeight', n.net_weight is null, 'net weight'),
        (10, 'sizeRange', 'sizeRangeId', n.size_range_id is null, 'size range')
) as field(place, requirement, name, is_missing, noun)
where field.is_missing and field.requirement = any(channel.requirements)
union all
select 9, 'colors', '/api/style-colors#colorId', null, null, null, null, 'The style has no active color.'
where 'colors' = any(channel.requirements)
    and not exists (
        select 1 from {{active_colors}} as made
    )
union all
select 11, 'skus', '/api/style-skus#sku', made.id, size.id, null, null, 'There is no active SKU in ' || made.name || ', ' || size.name || '.'
from {{active_colors}} as made
join size_range_size size
    on size.organization_id = $1::bigint and size.size_range_id = n.size_range_id and not size.is_deactivated
where 'skus' = any(channel.requirements)
    and (made.id, size.id) not in (
        select sku.style_color_id, sku.size_range_size_id from {{active_skus}} as sku
    )
union all
select
    12,
    'barcodes',
    '/api/barcodes#styleSkuId',
    sku.style_color_id,
    sku.size_range_size_id,
    null,
    null,
    'The SKU ' || sku.sku || ' has no primary GTIN.'
from {{active_skus}} as sku
where 'barcodes' = any(channel.requirements)
    and (
        select b.id from barcode b
        where b.organization_id = $1::bigint and b.style_sku_id between sku.id and sku.id
            and b.is_primary and b.gtin14 is not null and b.state <> 'deleted'
        order by b.style_sku_id
        limit 1
    ) is null
union all
select
    13,
    'prices',
    '/api/styles/' || n.id || '/prices/' || list.id || '#prices',
    sku.style_color_id,
    sku.size_range_size_id,
    null,
    list.id,
    'The SKU ' || sku.sku || ' has no price in ' || list.name || ' today.'
from {{active_skus}} as sku
cross join list
where 'prices' = any(channel.requirements)
    and (list.id, 0, 0) not in ({{prices}})
    and (list.id, sku.style_color_id, 0) not in ({{prices}})
    and (list.id, 0, sku.size_range_size_id) not in ({{prices}})
    and (list.id, sku.style_color_id, sku.size_range_size_id) not in ({{prices}})
union all
select 14, 'image', '/api/style-files#isMain', null, null, null, null, 'The style has no active main image.'
where 'image' = any(channel.requirements)
    and not exists (
        select 1 from style_file file
        where file.organization_id = $1::bigint and file.style_id = n.id and file.style_color_id is null
            and file.is_main and file.state = 'active'
    )
union all
select 15, 'imagePerColor', '/api/style-files#styleColorId', made.id, null, null, null, 'There is no active image in ' || made.name || '.'
from {{active_colors}} as made
where 'imagePerColor' = any(channel.requirements)
    and made.id not in (
        select file.style_color_id from style_file file
        where file.organization_id = $1::bigint and file.style_id = n.id and file.style_color_id is not null
            and file.category = 'image' and file.state = 'active'
    )
union all
select 16, 'care', '/api/styles/' || n.id || '/care-instructions#styleColorId', made.id, null, null, null,
    'There is no care label in ' || made.name || '.'
from {{active_colors}} as made
where 'care' = any(channel.requirements)
    and 0 not in ({{labels}}) and made.id not in ({{labels}})
union all
select 17, 'composition', '/api/styles/' || n.id || '/care-instructions#layers', care.style_color_id, null, null, null,
    'The layer ' || layer.text || ' sums to ' || total.percentage || ', not to 100.'
from style_care_set care
join style_care_layer made on made.organization_id = $1::bigint and made.style_care_set_id = care.id
cross join lateral ({{text from care_instruction_layer by made.care_instruction_layer_id}}) as layer
cross join lateral (
    select coalesce(trim_scale(sum(share.percentage)), 0) as percentage
    from style_care_material share
    where share.organization_id = $1::bigint and share.style_care_layer_id = made.id
) as total
where 'composition' = any(channel.requirements)
    and care.organization_id = $1::bigint and care.style_id = n.id and total.percentage <> 100
    and (
        care.style_color_id is null
        or exists (
            select 1 from style_color color
            where color.organization_id = $1::bigint and color.id between care.style_color_id and care.style_color_id
                and color.state = 'active'
        )
    )
union all
select
    18,
    'translations',
    '/api/styles/' || n.id || '/translations#name',
    null,
    null,
    spoken.id,
    null,
    'The style has no name in ' || spoken.name || '.'
from spoken
where 'translations' = any(channel.requirements)
    and not exists (
        select 1 from style_translation text
        where text.organization_id = $1::bigint and text.style_id = n.id and text.language_id = spoken.id
            and text.name ~ '\S'
    )
union all
select
    19,
    'customFields',
    '/api/styles/' || n.id || '/custom-field-values#customFieldId',
    made.id,
    size.id,
    null,
    null,
    'There is no value of ' || f.name || coalesce(' in ' || made.name, '') || coalesce(', ' || size.name, '') || '.'
from mandatory f
left join lateral {{active_colors}} as made on f.diff_per_color
left join lateral (
    select size.id, size.name from size_range_size size
    where size.organization_id = $1::bigint and size.size_range_id = n.size_range_id and not size.is_deactivated
) as size on f.diff_per_size
where (f.brand_ids = '{}' or n.brand_id = any(f.brand_ids))
    and (f.category_ids = '{}' or n.style_category_id = any(f.category_ids))
    and (
        f.group_ids = '{}'
        or exists (
            select 1 from style_in_group link
            where link.organization_id = $1::bigint and link.style_id = n.id and link.group_id = any(f.group_ids)
        )
    )
    and (made.id is not null or not f.diff_per_color) and (size.id is not null or not f.diff_per_size)
    and (f.id, coalesce(made.id, 0), coalesce(size.id, 0)) not in ({{values}})
    and (
        f.type in ('text', 'numeric')
        or f.id in (
            select choice.custom_field_id from style_allowed_value choice
            where choice.organization_id = $1::bigint and choice.parent_allowed_value_id is null
                and choice.custom_field_id = any(array(select id from mandatory))
        )
        or (f.id, coalesce(made.id, 0), coalesce(size.id, 0)) in ({{choosable}})
    )

-- name: order
place, style_color_id, size_range_size_id, language_id, price_list_id, message

-- name: prices
-- Price lists, style colors and sizes for which the style n has a price on the day; 0 stands for all.
select entry.price_list_id, coalesce(entry.style_color_id, 0), coalesce(entry.size_range_size_id, 0)
from style_price entry
where entry.organization_id = $1::bigint and entry.style_id = n.id
    and entry.price_list_id = any(array(select list.id from list where {{is_effective}}))
    and entry.minimum_quantity = 1
    and coalesce(entry.valid_from <= $3::date, true) and coalesce(entry.valid_to >= $3::date, true)

-- name: rows
select
    requirement,
    path,
    style_color_id as "styleColorId",
    size_range_size_id as "sizeRangeSizeId",
    language_id as "languageId",
    price_list_id as "priceListId",
    message

-- name: spoken
-- Languages of the channel.
select language.*
from channel_language link
join language on language.id = link.language_id
where link.organization_id = $1::bigint and link.channel_id = $2::bigint

-- name: values
-- Custom fields, style colors and sizes for which the style n has a value; 0 stands for no color or size.
select entry.custom_field_id, coalesce(entry.style_color_id, 0), coalesce(entry.size_range_size_id, 0)
from custom_field_value entry
where entry.organization_id = $1::bigint and entry.style_id = n.id
