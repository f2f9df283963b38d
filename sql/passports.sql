-- Passports of SKUs (contract, Passports). $2 stands for the channel of completeness, there is none; $3 is the day.

-- name: documents(organization_id, channel_id, day, sku_id, language_id)
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
    convert_to(to_json(passport)::text, 'UTF8') as document,
    $3::date as day
from style_sku sku
join style n on n.organization_id = $1::bigint and n.id = sku.style_id
join style_color own on own.organization_id = $1::bigint and own.id = sku.style_color_id
join color on color.organization_id = $1::bigint and color.id = sku.color_id
cross join lateral (
    select s.name from size_range_size s
    where s.organization_id = $1::bigint and s.id = sku.size_range_size_id
    offset 0
) as size
join organization o on o.id = $1::bigint
cross join (
    select
        null::bigint as id,
        '{brand, category, description, countryOfOrigin, hsCode, netWeight, barcodes, image, care, composition}'::text[]
            as requirements
) as channel
cross join lateral (select coalesce($5::bigint, o.default_language_id) as id) as reader
left join lateral (
    select text.name, text.description from style_translation text
    where text.organization_id = $1::bigint and text.style_id = n.id and text.language_id = reader.id
    offset 0
) as named on true
left join lateral (
    select text.color_name from color_language text
    where text.organization_id = $1::bigint and text.color_id = color.id and text.language_id = reader.id
    offset 0
) as colored on true
left join lateral (
    select b.gtin14 from barcode b
    where b.organization_id = $1::bigint and b.style_sku_id = sku.id and b.is_primary and b.gtin14 is not null
        and b.state <> 'deleted'
) as code on true
left join lateral (
    -- That of the color before that of all.
    select care.id, care.style_color_id from style_care_set care
    where care.organization_id = $1::bigint and care.style_id = n.id
        and (care.style_color_id = own.id or care.style_color_id is null)
    order by care.style_color_id
    limit 1
) as label on true
cross join lateral (
    select
        'draft-1' as "schemaVersion",
        (
            select to_json(shown)
            from (
                select
                    code.gtin14 as "gtin14",
                    sku.sku,
                    rtrim(coalesce(o.passport_base_url, 'https://id.gs1.org'), '/') || '/01/' || code.gtin14 as "digitalLink"
            ) as shown
        ) as identifiers,
        (
            select to_json(shown)
            from (
                select
                    coalesce(o.legal_name, o.name) as name,
                    o.address,
                    o.zip_code as "zipCode",
                    o.city,
                    o.state_or_region as "stateOrRegion",
                    o.country_code as "countryCode",
                    o.web_site as "webSite",
                    o.email,
                    o.vat_number as "vatNumber",
                    o.eori_number as "eoriNumber",
                    o.gln
            ) as shown
        ) as operator,
        (
            select to_json(shown)
            from (
                select
                    (
                        select brand.name from brand
                        where brand.organization_id = $1::bigint and brand.id = n.brand_id
                    ) as brand,
                    n.number,
                    coalesce(named.name, n.name) as name,
                    coalesce(named.description, n.description) as description,
                    (
                        select c.name from style_category c
                        where c.organization_id = $1::bigint and c.id = n.style_category_id
                    ) as category,
                    coalesce(colored.color_name, own.name, color.name) as color,
                    size.name as size,
                    n.hs_code as "hsCode",
                    n.country_of_origin_code as "countryOfOriginCode",
                    coalesce(sku.net_weight, n.net_weight) as "netWeight",
                    (
                        select file.url from style_file file
                        where file.organization_id = $1::bigint and file.style_id = n.id and file.state = 'active'
                            and file.category = 'image'
                            and (file.style_color_id = own.id or file.style_color_id is null)
                        order by file.style_color_id, file.is_main desc, file.sort_order, file.id
                        limit 1
                    ) as image
            ) as shown
        ) as product,
        array(
            select to_json(shown)
            from (
                select
                    coalesce({{layer_text}}, layer.text) as text,
                    array(
                        select to_json(part)
                        from (
                            select
                                coalesce({{material_text}}, material.text) as text,
                                share.percentage,
                                share.recycled_percentage as "recycledPercentage"
                            from style_care_material share
                            join care_instruction_material material
                                on material.organization_id = $1::bigint
                                    and material.id = share.care_instruction_material_id
                            where share.organization_id = $1::bigint and share.style_care_layer_id = made.id
                            order by share.percentage desc, material.id
                        ) as part
                    ) as materials
                from style_care_layer made
                join care_instruction_layer layer
                    on layer.organization_id = $1::bigint and layer.id = made.care_instruction_layer_id
                where made.organization_id = $1::bigint and made.style_care_set_id = label.id
                order by layer.position, layer.id
            ) as shown
        ) as composition,
        array(
            select to_json(shown)
            from (
                select icon.symbol, icon.process, coalesce({{icon_text}}, icon.text) as text
                from style_care_icon link
                join care_instruction_icon icon
                    on icon.organization_id = $1::bigint and icon.id = link.care_instruction_icon_id
                where link.organization_id = $1::bigint and link.style_care_set_id = label.id
                order by {{by_process}}, icon.id
            ) as shown
        ) || array(
            select to_json(shown)
            from (
                select null as symbol, null as process, coalesce({{instruction_text}}, instruction.text) as text
                from style_care_instruction link
                join care_instruction instruction
                    on instruction.organization_id = $1::bigint and instruction.id = link.care_instruction_id
                where link.organization_id = $1::bigint and link.style_care_set_id = label.id
                order by instruction.position, instruction.id
            ) as shown
        ) as care,
        array(
            select to_json(shown)
            from (
                select
                    step.process,
                    step.process_name as "processName",
                    step.tier,
                    coalesce(step.country_code, site.country_code, maker.country_code, supplier.country_code)
                        as "countryCode",
                    coalesce(maker.name, supplier.name) as operator,
                    site.name as facility,
                    site.gln,
                    site.os_id as "osId"
                from style_supplier_facility step
                left join facility site on site.organization_id = $1::bigint and site.id = step.facility_id
                left join sub_supplier maker on maker.organization_id = $1::bigint and maker.id = step.sub_supplier_id
                left join supplier on supplier.organization_id = $1::bigint and supplier.id = step.supplier_id
                where step.organization_id = $1::bigint and step.style_id = n.id
                order by step.id
            ) as shown
        ) as "supplyChain",
        array(
            select to_json(shown)
            from (
                {{rows}}
                from (
                    {{missing}}
                ) as lacking
                where (style_color_id is null or style_color_id = sku.style_color_id)
                    and (size_range_size_id is null or size_range_size_id = sku.size_range_size_id)
                    and (requirement <> 'composition' or style_color_id is not distinct from label.style_color_id)
                order by {{order}}
                limit 1000
            ) as shown
        ) as missing
) as passport
where sku.organization_id = $1::bigint and sku.id = $4::bigint;

-- name: language(organization_id, code)
-- The organization is a parameter, as in every statement.
select id from language where $1::bigint is not null and lower(code) = lower($2::text);

-- name: sku_of_barcode(organization_id, barcode_id)
select style_sku_id from barcode where organization_id = $1::bigint and id = $2::bigint;

-- name: text
-- Text of what a care label names, in the language; null without.
(
    select translated.text from {{table}}_translation translated
    where translated.organization_id = $1::bigint and translated.{{table}}_id = {{of}}.id
        and translated.language_id = reader.id
)
