with list as materialized (
    select price_list.*
    from channel_price_list
    join price_list on price_list.organization_id = $1 and price_list.id = channel_price_list.price_list_id
    where channel_price_list.organization_id = $1 and channel_price_list.channel_id = $2
),
spoken as materialized (
    select language.id, language.code
    from channel_language
    join language on language.id = channel_language.language_id
    where channel_language.organization_id = $1 and channel_language.channel_id = $2
),
page as materialized (
    select * from style
    where organization_id = $1 and id > $4 and state = 'active' and status in ('published', 'delivered')
    order by id
    limit $5
),
made as materialized (
    select
        style_color.id,
        style_color.style_id,
        style_color.sort_order,
        coalesce(style_color.name, color.name) as name,
        color.id as color_id,
        color.name as color_name,
        color.user_defined_id,
        color.hex,
        color.image_url
    from page
    join style_color on style_color.organization_id = $1 and style_color.style_id = page.id
    join color on color.organization_id = $1 and color.id = style_color.color_id
    where style_color.state = 'active'
),
sku as materialized (
    select
        sku.id,
        sku.sku,
        sku.style_id,
        sku.style_color_id,
        sku.size_range_size_id,
        coalesce(sku.net_weight, page.net_weight) as net_weight,
        size.name as size_name,
        size.position,
        barcode.barcode as gtin
    from page
    join style_sku sku on sku.organization_id = $1 and sku.style_id = page.id and sku.state = 'active'
    join size_range_size size on size.organization_id = $1 and size.id = sku.size_range_size_id
    left join barcode
        on barcode.organization_id = $1 and barcode.style_sku_id = sku.id and barcode.is_primary
        and barcode.gtin14 is not null and barcode.state <> 'deleted'
),
fitting as (
    -- Prices of each SKU that have begun, with their levels: of color and size, of the color, of the size, of the style.
    select
        sku.id as sku_id,
        list.id as list_id,
        list.currency_code,
        (price.style_color_id is null)::integer * 2 + (price.size_range_size_id is null)::integer as level,
        price.minimum_quantity,
        price.amount,
        price.compare_at_amount,
        price.valid_to,
        price.valid_to is null or price.valid_to >= $3 as is_present,
        daterange(price.valid_from, price.valid_to, '[]') * daterange(list.valid_from, list.valid_to, '[]') as days
    from page
    cross join list
    join style_price price
        on price.organization_id = $1 and price.style_id = page.id and price.price_list_id = list.id
    join sku
        on sku.style_id = page.id
        and (price.style_color_id is null or price.style_color_id = sku.style_color_id)
        and (price.size_range_size_id is null or price.size_range_size_id = sku.size_range_size_id)
    where list.state = 'active'
        and (list.valid_from is null or list.valid_from <= $3) and (list.valid_to is null or list.valid_to >= $3)
        and (price.valid_from is null or price.valid_from <= $3)
),
leveled as (
    select
        *,
        min(level) filter (where minimum_quantity = 1 and is_present) over pair as price_level,
        count(*) filter (where minimum_quantity = 1) over pair as number
    from fitting
    window pair as (partition by sku_id, list_id)
),
effective as (
    -- A price counts on its days without those of prices of more specific levels; of a price alone there is none before.
    select
        *,
        level = price_level and minimum_quantity = 1 and is_present as is_price,
        max(amount) filter (where level = price_level and minimum_quantity = 1 and is_present) over pair as price_amount,
        case when number > 1 and minimum_quantity = 1 then
            datemultirange(days) - coalesce(
                range_agg(days) filter (where minimum_quantity = 1) over (
                    pair order by level groups between unbounded preceding and 1 preceding
                ),
                '{}'
            )
        end as own_days
    from leveled
    window pair as (partition by sku_id, list_id)
),
price as materialized (
    select
        sku_id,
        list_id,
        currency_code,
        max(amount) filter (where is_price) as amount,
        max(compare_at_amount) filter (where is_price) as compare_at_amount,
        max(valid_to) filter (where is_price) as valid_to,
        json_agg(
            json_build_object('minimumQuantity', minimum_quantity, 'amount', amount) order by minimum_quantity
        ) filter (where minimum_quantity > 1 and level = price_level and is_present) as tiers,
        array_agg(amount) filter (where own_days is not null) as amounts,
        array_agg(own_days) filter (where own_days is not null) as days,
        range_agg(own_days) filter (where amount = price_amount) as present_days
    from effective
    group by sku_id, list_id, currency_code
    having bool_or(is_price)
),
sku_prices as (
    select
        price.sku_id,
        json_agg(
            json_build_object(
                'priceListId', price.list_id,
                'currencyCode', price.currency_code,
                'amount', price.amount,
                'compareAtAmount', price.compare_at_amount,
                'lowestAmount30Days', (
                    -- In the 30 days before the unbroken run of days with the amount of today.
                    select min(earlier.amount)
                    from unnest(price.present_days) as run
                    join unnest(price.amounts, price.days) as earlier(amount, days)
                        on earlier.days && daterange(lower(run) - 30, lower(run))
                    where run @> $3::date and lower(run) is not null
                ),
                'validTo', price.valid_to,
                'tiers', coalesce(price.tiers, '[]')
            )
            order by price.list_id
        ) as prices
    from price
    group by price.sku_id
),
color_skus as materialized (
    select
        sku.style_color_id,
        json_agg(
            json_build_object(
                'styleSkuId', sku.id,
                'sku', sku.sku,
                'gtin', sku.gtin,
                'sizeRangeSizeId', sku.size_range_size_id,
                'sizeName', sku.size_name,
                'netWeight', sku.net_weight,
                'prices', coalesce(sku_prices.prices, '[]')
            )
            order by sku.position, sku.size_range_size_id, sku.id
        ) as skus
    from sku
    left join sku_prices on sku_prices.sku_id = sku.id
    group by sku.style_color_id
),
care as materialized (
    select care.*
    from page
    join style_care_set care on care.organization_id = $1 and care.style_id = page.id
    where care.style_color_id is null or care.style_color_id in (select id from made)
),
care_text as materialized (
    select
        own.kind,
        own.id,
        json_agg(
            json_build_object('languageId', spoken.id, 'languageCode', spoken.code, 'text', own.text)
            order by spoken.id
        ) as translations
    from (
        select 'icon' as kind, care_instruction_icon_id as id, language_id, text
        from care_instruction_icon_translation where organization_id = $1
        union all
        select 'instruction', care_instruction_id, language_id, text
        from care_instruction_translation where organization_id = $1
        union all
        select 'layer', care_instruction_layer_id, language_id, text
        from care_instruction_layer_translation where organization_id = $1
        union all
        select 'material', care_instruction_material_id, language_id, text
        from care_instruction_material_translation where organization_id = $1
    ) as own
    join spoken on spoken.id = own.language_id
    group by own.kind, own.id
),
file as materialized (
    select
        file.style_id,
        file.style_color_id,
        json_agg(
            json_build_object(
                'styleFileId', file.id,
                'fileName', file.file_name,
                'category', file.category,
                'url', file.url,
                'mimeType', file.mime_type,
                'sizeBytes', file.size_bytes,
                'width', file.width,
                'height', file.height,
                'altText', file.alt_text,
                'sha256', file.sha256,
                'isMain', file.is_main
            )
            order by file.is_main desc, file.sort_order, file.id
        ) as files,
        bool_or(file.is_main) as has_main,
        bool_or(file.category = 'image') as has_image
    from page
    join style_file file on file.organization_id = $1 and file.style_id = page.id and file.state = 'active'
    group by file.style_id, file.style_color_id
)
select
    page.id,
    json_build_object(
        'style', json_build_object(
            'id', page.id,
            'number', page.number,
            'name', page.name,
            'description', page.description,
            'status', page.status,
            'gender', page.gender,
            'ageGroup', page.age_group,
            'countryOfOriginCode', page.country_of_origin_code,
            'hsCode', page.hs_code,
            'netWeight', page.net_weight,
            'brand', (
                select json_build_object('id', id, 'customId', custom_id, 'name', name) from brand
                where organization_id = $1 and id = page.brand_id
            ),
            'season', (
                select json_build_object('id', id, 'userDefinedId', user_defined_id, 'name', name) from season
                where organization_id = $1 and id = page.season_id
            ),
            'styleCategory', (
                select json_build_object('id', id, 'userDefinedId', user_defined_id, 'name', name) from style_category
                where organization_id = $1 and id = page.style_category_id
            ),
            'supplier', (
                select json_build_object('id', id, 'customId', custom_id, 'name', name) from supplier
                where organization_id = $1 and id = page.supplier_id
            ),
            'groups', (
                select coalesce(
                    json_agg(
                        json_build_object('id', g.id, 'userDefinedId', g.user_defined_id, 'name', g.name) order by g.id
                    ),
                    '[]'
                )
                from style_in_group link
                join style_group g on g.organization_id = $1 and g.id = link.group_id
                where link.organization_id = $1 and link.style_id = page.id
            )
        ),
        'translations', (
            select coalesce(
                json_agg(
                    json_build_object(
                        'languageId', spoken.id,
                        'languageCode', spoken.code,
                        'name', text.name,
                        'description', text.description
                    )
                    order by spoken.id
                ),
                '[]'
            )
            from style_translation text
            join spoken on spoken.id = text.language_id
            where text.organization_id = $1 and text.style_id = page.id
        ),
        'colors', (
            select coalesce(
                json_agg(
                    json_build_object(
                        'styleColorId', made.id,
                        'colorId', made.color_id,
                        'colorUserDefinedId', made.user_defined_id,
                        'name', made.name,
                        'translations', (
                            select coalesce(
                                json_agg(
                                    json_build_object(
                                        'languageId', spoken.id,
                                        'languageCode', spoken.code,
                                        'name', coalesce(text.color_name, made.color_name)
                                    )
                                    order by spoken.id
                                ),
                                '[]'
                            )
                            from color_language text
                            join spoken on spoken.id = text.language_id
                            where text.organization_id = $1 and text.color_id = made.color_id
                        ),
                        'swatch', case when num_nonnulls(made.hex, made.image_url) > 0 then
                            json_build_object('hex', made.hex, 'imageUrl', made.image_url)
                        end,
                        'files', coalesce((select files from file where style_color_id = made.id), '[]'),
                        'skus', coalesce((select skus from color_skus where style_color_id = made.id), '[]')
                    )
                    order by made.sort_order, made.id
                ),
                '[]'
            )
            from made
            where made.style_id = page.id
        ),
        'files', coalesce((select files from file where style_id = page.id and style_color_id is null), '[]'),
        'care', (
            select coalesce(
                json_agg(
                    json_build_object(
                        'styleColorId', care.style_color_id,
                        'icons', (
                            select coalesce(
                                json_agg(
                                    json_build_object(
                                        'careInstructionIconId', icon.id,
                                        'userDefinedId', icon.user_defined_id,
                                        'symbol', icon.symbol,
                                        'process', icon.process,
                                        'text', icon.text,
                                        'translations', coalesce(own.translations, '[]')
                                    )
                                    order by array_position(
                                        '{washing, bleaching, tumbleDrying, naturalDrying, ironing, dryCleaning, wetCleaning}',
                                        icon.process::text
                                    ), icon.id
                                ),
                                '[]'
                            )
                            from style_care_icon link
                            join care_instruction_icon icon
                                on icon.organization_id = $1 and icon.id = link.care_instruction_icon_id
                            left join care_text own on own.kind = 'icon' and own.id = icon.id
                            where link.organization_id = $1 and link.style_care_set_id = care.id
                        ),
                        'instructions', (
                            select coalesce(
                                json_agg(
                                    json_build_object(
                                        'careInstructionId', text.id,
                                        'userDefinedId', text.user_defined_id,
                                        'text', text.text,
                                        'translations', coalesce(own.translations, '[]')
                                    )
                                    order by text.position, text.id
                                ),
                                '[]'
                            )
                            from style_care_instruction link
                            join care_instruction text on text.organization_id = $1 and text.id = link.care_instruction_id
                            left join care_text own on own.kind = 'instruction' and own.id = text.id
                            where link.organization_id = $1 and link.style_care_set_id = care.id
                        )
                    )
                    order by care.style_color_id nulls first
                ),
                '[]'
            )
            from care
            where care.style_id = page.id
        ),
        'composition', (
            select coalesce(
                json_agg(
                    json_build_object(
                        'styleColorId', care.style_color_id,
                        'layers', (
                            select coalesce(
                                json_agg(
                                    json_build_object(
                                        'careInstructionLayerId', layer.id,
                                        'userDefinedId', layer.user_defined_id,
                                        'text', layer.text,
                                        'translations', coalesce(own.translations, '[]'),
                                        'materials', (
                                            select coalesce(
                                                json_agg(
                                                    json_build_object(
                                                        'careInstructionMaterialId', material.id,
                                                        'userDefinedId', material.user_defined_id,
                                                        'text', material.text,
                                                        'translations', coalesce(own.translations, '[]'),
                                                        'percentage', share.percentage,
                                                        'recycledPercentage', share.recycled_percentage
                                                    )
                                                    order by share.percentage desc, material.id
                                                ),
                                                '[]'
                                            )
                                            from style_care_material share
                                            join care_instruction_material material
                                                on material.organization_id = $1
                                                and material.id = share.care_instruction_material_id
                                            left join care_text own on own.kind = 'material' and own.id = material.id
                                            where share.organization_id = $1 and share.style_care_layer_id = own_layer.id
                                        )
                                    )
                                    order by layer.position, layer.id
                                ),
                                '[]'
                            )
                            from style_care_layer own_layer
                            join care_instruction_layer layer
                                on layer.organization_id = $1 and layer.id = own_layer.care_instruction_layer_id
                            left join care_text own on own.kind = 'layer' and own.id = layer.id
                            where own_layer.organization_id = $1 and own_layer.style_care_set_id = care.id
                        )
                    )
                    order by care.style_color_id nulls first
                ),
                '[]'
            )
            from care
            where care.style_id = page.id
        ),
        'customFieldValues', (
            select coalesce(
                json_agg(
                    json_build_object(
                        'customFieldId', entry.custom_field_id,
                        'userDefinedId', field.user_defined_id,
                        'name', field.name,
                        'styleColorId', entry.style_color_id,
                        'sizeRangeSizeId', entry.size_range_size_id,
                        'text', entry.text,
                        'number', entry.number,
                        'allowedValueId', entry.allowed_value_id,
                        'value', choice.value
                    )
                    order by entry.custom_field_id, entry.style_color_id, entry.size_range_size_id
                ),
                '[]'
            )
            from custom_field_value entry
            join style_custom_field field on field.organization_id = $1 and field.id = entry.custom_field_id
            left join style_allowed_value choice on choice.organization_id = $1 and choice.id = entry.allowed_value_id
            where entry.organization_id = $1 and entry.style_id = page.id
                and (entry.style_color_id is null or entry.style_color_id in (select id from made))
        ),
        'isComplete', (
            select
                not ('brand' = any(requirements) and page.brand_id is null)
                and not ('season' = any(requirements) and page.season_id is null)
                and not ('category' = any(requirements) and page.style_category_id is null)
                and not ('supplier' = any(requirements) and page.supplier_id is null)
                and not ('description' = any(requirements) and coalesce(page.description, '') !~ '\S')
                and not ('countryOfOrigin' = any(requirements) and page.country_of_origin_code is null)
                and not ('hsCode' = any(requirements) and page.hs_code is null)
                and not ('netWeight' = any(requirements) and page.net_weight is null)
                and not ('sizeRange' = any(requirements) and page.size_range_id is null)
                and not ('colors' = any(requirements) and not exists (select from made where style_id = page.id))
                and not ('barcodes' = any(requirements) and exists (
                    select from sku where style_id = page.id and gtin is null
                ))
                and not ('prices' = any(requirements) and exists (
                    select from sku cross join list
                    where sku.style_id = page.id
                        and not exists (select from price where price.sku_id = sku.id and price.list_id = list.id)
                ))
                and not ('image' = any(requirements) and not exists (
                    select from file where style_id = page.id and style_color_id is null and has_main
                ))
                and not ('imagePerColor' = any(requirements) and exists (
                    select from made
                    where style_id = page.id
                        and not exists (select from file where file.style_color_id = made.id and has_image)
                ))
                and not ('care' = any(requirements) and exists (
                    select from made
                    where style_id = page.id
                        and not exists (
                            select from care
                            where care.style_id = page.id and coalesce(care.style_color_id, made.id) = made.id
                        )
                ))
                and not ('translations' = any(requirements) and exists (
                    select from spoken
                    where not exists (
                        select from style_translation text
                        where text.organization_id = $1 and text.style_id = page.id and text.language_id = spoken.id
                            and text.name ~ '\S'
                    )
                ))
            from channel
            where organization_id = $1 and id = $2
        )
    ) as document
from page
order by page.id
