-- Products: a document for each style, for shops (contract, Products). In documents $2 is the channel and $3 the day.

-- name: by_process
-- Order of the icons of a care label.
array_position(
    '{washing, bleaching, tumbleDrying, naturalDrying, ironing, dryCleaning, wetCleaning}'::text[],
    icon.process::text
)

-- name: care_sets
-- Care labels of the style, of active colors and of all.
from style_care_set care
where care.organization_id = $1::bigint and care.style_id = page.id
    and (
        care.style_color_id is null
        or exists (
            select 1 from style_color made
            where made.organization_id = $1::bigint and made.id between care.style_color_id and care.style_color_id
                and made.state = 'active'
        )
    )
order by care.style_color_id nulls first

-- name: care_texts
-- Texts of what a care label names, in the languages of the channel.
array(
    select to_json(translated)
    from (
        select spoken.id as "languageId", spoken.code as "languageCode", own.text
        from {{table}}_translation own
        join spoken on spoken.id = own.language_id
        where own.organization_id = $1::bigint and own.{{table}}_id = {{of}}.id
        order by spoken.id
    ) as translated
)

-- name: changed
-- Condition of lists: styles whose documents have changed since a transaction, or at a day that has begun since. The
-- lateral joins look rows up one by one; what they join follows from the relations.
record.id = any(array(
    with touching as materialized (
        {{changes}}
    ),
    -- By arrays, whose length is estimated low: by itself 10^6 for each row of the feed, for which PostgreSQL would compile.
    touched as materialized (
        select touched.name, touched.id
        from (
            select array_agg(named.name) as names, array_agg(named.id) as ids
            from (
                select collection.name, changed.id::bigint as id
                from touching
                cross join lateral jsonb_each(touching.records) as collection(name, operations)
                cross join lateral jsonb_each(collection.operations) as operation(name, ids)
                cross join lateral jsonb_array_elements_text(operation.ids) as changed(id)
                where collection.name = any('{ {{collections}} }')
                union all
                select 'shown ' || cause.name, changed.id::bigint
                from touching
                cross join lateral jsonb_each(touching.causes) as cause(name, ids)
                cross join lateral jsonb_array_elements_text(cause.ids) as changed(id)
                where cause.name = any('{ {{causes}} }')
            ) as named
        ) as gathered
        cross join lateral unnest(gathered.names, gathered.ids) as touched(name, id)
    )
    select touched.id from touched
    where touched.name in ({{own}})
    union all
    select showing.style_id
    from touched
    cross join lateral (
        {{ways}}
        offset 0
    ) as showing
    union all
    -- Prices that have begun or ended since, of themselves or of their price lists.
    select price.style_id from style_price price
    where price.organization_id = $1::bigint and price.valid_from > {{since}} and price.valid_from <= $3::date
    union all
    select price.style_id from style_price price
    where price.organization_id = $1::bigint and price.valid_to >= {{since}} and price.valid_to < $3::date
    union all
    select price.style_id
    from channel_price_list link
    join price_list list on list.organization_id = $1::bigint and list.id = link.price_list_id
    join style_price price on price.organization_id = $1::bigint and price.price_list_id = list.id
    where link.organization_id = $1::bigint and link.channel_id = $2::bigint
        and (
            list.valid_from > {{since}} and list.valid_from <= $3::date
            or list.valid_to >= {{since}} and list.valid_to < $3::date
        )
    union all
    -- Another channel, or other mandatory fields: any style.
    select style.id from style
    where style.organization_id = $1::bigint
        and exists (
            select 1 from touched
            join channel on channel.organization_id = $1::bigint and channel.id = $2::bigint
            where touched.name = 'channels' and touched.id = channel.id
                or touched.name = 'style-custom-fields' and 'customFields' = any(channel.requirements)
        )
))

-- name: color_files
-- Files of the color made, in an order that the index by color alone has (decision 0006).
select one.* from style_file one
where one.organization_id = $1::bigint and one.style_color_id between made.id and made.id
order by one.style_color_id
offset 0

-- name: column_of
(
    select above.{{column}} from {{table}} above
    where above.organization_id = $1::bigint and above.id = {{id}}
)

-- name: documents(organization_id, channel_id, day)
with mandatory as materialized (
    {{mandatory}}
),
list as materialized (
    {{lists}}
),
spoken as materialized (
    {{spoken}}
),
record as (
    {{record}}
),
page as materialized (
    {{page}}
)
select
    page.page_order,
    page.sort_values,
    case when {{shown}} then (
        select to_json(product)::text
        from (
            {{product}}
        ) as product
    )
    else '{"style":{"id":' || page.id || ',"number":' || to_json(page.number) || '},"isRemoved":true}' end as document
from page

-- name: files
-- Active files of the style, or of a color.
array(
    select to_json(file)
    from (
        select
            file.id as "styleFileId",
            file.file_name as "fileName",
            file.category,
            file.url,
            file.mime_type as "mimeType",
            file.size_bytes as "sizeBytes",
            file.width,
            file.height,
            file.alt_text as "altText",
            file.sha256,
            file.is_main as "isMain"
        from ({{of}}) as file
        where file.state = 'active'
        order by file.is_main desc, file.sort_order, file.id
    ) as file
)

-- name: own_files
-- Files of the style itself.
select one.* from style_file one
where one.organization_id = $1::bigint and one.style_id = page.id and one.style_color_id is null

-- name: product
select
    (
        select to_json(style)
        from (
            select
                page.id,
                page.number,
                page.name,
                page.description,
                page.status,
                page.gender,
                page.age_group as "ageGroup",
                page.country_of_origin_code as "countryOfOriginCode",
                page.hs_code as "hsCode",
                page.net_weight as "netWeight",
                (
                    select to_json(shown)
                    from (
                        select brand.id, brand.custom_id as "customId", brand.name from brand
                        where brand.organization_id = $1::bigint and brand.id = page.brand_id
                    ) as shown
                ) as brand,
                (
                    select to_json(shown)
                    from (
                        select season.id, season.user_defined_id as "userDefinedId", season.name from season
                        where season.organization_id = $1::bigint and season.id between page.season_id and page.season_id
                        order by season.id
                        limit 1
                    ) as shown
                ) as season,
                (
                    select to_json(shown)
                    from (
                        select c.id, c.user_defined_id as "userDefinedId", c.name from style_category c
                        where c.organization_id = $1::bigint and c.id = page.style_category_id
                    ) as shown
                ) as "styleCategory",
                (
                    select to_json(shown)
                    from (
                        select supplier.id, supplier.custom_id as "customId", supplier.name from supplier
                        where supplier.organization_id = $1::bigint and supplier.id = page.supplier_id
                    ) as shown
                ) as supplier,
                array(
                    select to_json(shown)
                    from (
                        select g.id, g.user_defined_id as "userDefinedId", g.name
                        from (
    select one.* from style_in_group one
    where one.organization_id = $1::bigint and one.style_id between page.id and page.id
    order by one.style_id, one.group_id
    offset 0
) as link
                        cross join lateral ({{* from style_group by link.group_id}}) as g
                        order by g.id
                    ) as shown
                ) as groups
        ) as style
    ) as style,
    array(
        select to_json(shown)
        from (
            select spoken.id as "languageId", spoken.code as "languageCode", text.name, text.description
            from style_translation text
            join spoken on spoken.id = text.language_id
            where text.organization_id = $1::bigint and text.style_id = page.id
            order by spoken.id
        ) as shown
    ) as translations,
    array(
        with {{skus}}
        select to_json(shown)
        from (
            select
                made.id as "styleColorId",
                color.id as "colorId",
                color.user_defined_id as "colorUserDefinedId",
                coalesce(made.name, color.name) as name,
                array(
                    select to_json(translated)
                    from (
                        select
                            spoken.id as "languageId",
                            spoken.code as "languageCode",
                            coalesce(text.color_name, color.name) as name
                        from color_language text
                        join spoken on spoken.id = text.language_id
                        where text.organization_id = $1::bigint and text.color_id = color.id
                        order by spoken.id
                    ) as translated
                ) as translations,
                (
                    select to_json(swatch) from (select color.hex, color.image_url as "imageUrl") as swatch
                    where num_nonnulls(color.hex, color.image_url) > 0
                ) as swatch,
                {{color_files}} as files,
                coalesce(made.skus, '[]')::json as skus
            from (
                select stored.*, sold.documents as skus
                from (
                    select one.* from style_color one
                    where one.organization_id = $1::bigint and one.style_id between page.id and page.id
                    order by one.style_id, one.color_id
                    offset 0
                ) as stored
                full join sold on sold.style_color_id = stored.id
                offset 0
            ) as made
            cross join lateral ({{* from color by made.color_id}}) as color
            where made.state = 'active'
            order by made.sort_order, made.id
        ) as shown
    ) as colors,
    {{style_files}} as files,
    array(
        select to_json(shown)
        from (
            select
                care.style_color_id as "styleColorId",
                array(
                    select to_json(listed)
                    from (
                        select
                            icon.id as "careInstructionIconId",
                            icon.user_defined_id as "userDefinedId",
                            icon.symbol,
                            icon.process,
                            icon.text,
                            {{icon_texts}} as translations
                        from style_care_icon link
                        cross join lateral ({{* from care_instruction_icon by link.care_instruction_icon_id}}) as icon
                        where link.organization_id = $1::bigint and link.style_care_set_id = care.id
                        order by {{by_process}}, icon.id
                    ) as listed
                ) as icons,
                array(
                    select to_json(listed)
                    from (
                        select
                            text.id as "careInstructionId",
                            text.user_defined_id as "userDefinedId",
                            text.text,
                            {{instruction_texts}} as translations
                        from style_care_instruction link
                        cross join lateral ({{* from care_instruction by link.care_instruction_id}}) as text
                        where link.organization_id = $1::bigint and link.style_care_set_id = care.id
                        order by text.position, text.id
                    ) as listed
                ) as instructions
            {{care_sets}}
        ) as shown
    ) as care,
    array(
        select to_json(shown)
        from (
            select
                care.style_color_id as "styleColorId",
                array(
                    select to_json(listed)
                    from (
                        select
                            layer.id as "careInstructionLayerId",
                            layer.user_defined_id as "userDefinedId",
                            layer.text,
                            {{layer_texts}} as translations,
                            array(
                                select to_json(part)
                                from (
                                    select
                                        material.id as "careInstructionMaterialId",
                                        material.user_defined_id as "userDefinedId",
                                        material.text,
                                        {{material_texts}} as translations,
                                        share.percentage,
                                        share.recycled_percentage as "recycledPercentage"
                                    from style_care_material share
                                    cross join lateral ({{* from care_instruction_material by share.care_instruction_material_id}}) as material
                                    where share.organization_id = $1::bigint and share.style_care_layer_id = made.id
                                    order by share.percentage desc, material.id
                                ) as part
                            ) as materials
                        from style_care_layer made
                        cross join lateral ({{* from care_instruction_layer by made.care_instruction_layer_id}}) as layer
                        where made.organization_id = $1::bigint and made.style_care_set_id = care.id
                        order by layer.position, layer.id
                    ) as listed
                ) as layers
            {{care_sets}}
        ) as shown
    ) as composition,
    array(
        select to_json(shown)
        from (
            select
                entry.custom_field_id as "customFieldId",
                f.user_defined_id as "userDefinedId",
                f.name,
                entry.style_color_id as "styleColorId",
                entry.size_range_size_id as "sizeRangeSizeId",
                entry.text,
                entry.number,
                entry.allowed_value_id as "allowedValueId",
                (
                    select choice.value from style_allowed_value choice
                    where choice.organization_id = $1::bigint and choice.id = entry.allowed_value_id
                ) as value
            from custom_field_value entry
            cross join lateral ({{user_defined_id, name from style_custom_field by entry.custom_field_id}}) as f
            where entry.organization_id = $1::bigint and entry.style_id = page.id
                and (
                    entry.style_color_id is null
                    or exists (
                        select 1 from style_color made
                        where made.organization_id = $1::bigint
                            and made.id between entry.style_color_id and entry.style_color_id
                            and made.state = 'active'
                    )
                )
            order by entry.custom_field_id, entry.style_color_id, entry.size_range_size_id
        ) as shown
    ) as "customFieldValues",
    page.is_complete as "isComplete"

-- name: record
-- Styles, with what they are in the channel.
select
    n.*,
    n.state = 'active' and n.status in ('published', 'delivered') as is_product,
    not exists (
        select 1
        from (
            {{missing}}
        ) as missing
    ) as is_complete,
    $3::date as day
from style n
cross join (
    select id, requirements from channel
    where organization_id = $1::bigint and id = $2::bigint
) as channel
where n.organization_id = $1::bigint

-- name: skus
-- Active SKUs of the style by color, in the order of the sizes. Full joins compare no SKU with the prices of others; the offset
-- keeps them full. Texts are joined, since to_json looks up every column of every row.
own as materialized (
    select sku.* from style_sku sku
    where sku.organization_id = $1::bigint and sku.style_id between page.id and page.id
    order by sku.style_id, sku.id
),
priced as materialized (
    {{priced}}
),
shown_price as materialized (
    select style_sku_id, string_agg({{sku_price}}, ',' order by price_list_id) as documents
    from priced
    group by style_sku_id
),
sold as materialized (
    select
        style_color_id,
        '[' || string_agg({{sku}}, ',' order by position, size_range_size_id, style_sku_id) || ']' as documents
    from (
        select
            sku.id as style_sku_id,
            sku.style_color_id,
            sku.sku,
            (
                select b.barcode from barcode b
                where b.organization_id = $1::bigint and b.style_sku_id between sku.id and sku.id
                    and b.is_primary and b.gtin14 is not null and b.state <> 'deleted'
                order by b.style_sku_id
                limit 1
            ) as gtin,
            sku.size_range_size_id,
            size.name as size_name,
            size.position,
            coalesce(sku.net_weight, page.net_weight) as net_weight,
            sku.prices
        from (
            select own.*, shown_price.documents as prices
            from own
            full join shown_price on shown_price.style_sku_id = own.id
            offset 0
        ) as sku
        cross join lateral ({{name, position from size_range_size by sku.size_range_size_id}}) as size
        where sku.state = 'active'
    ) as sku
    group by style_color_id
)

-- name: way
select {{style}} as style_id from {{table}} showing
where showing.organization_id = $1::bigint and showing.{{column}} = touched.id and touched.name = '{{name}}'

-- name: way_up
select {{style}} as style_id from {{table}} showing
where showing.organization_id = $1::bigint and showing.id = touched.id and touched.name = '{{name}}'
