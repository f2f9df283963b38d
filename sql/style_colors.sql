-- Colors of styles (contract, Style colors). The delete of a style marks them, so that its restore brings them back.

-- name: alone
-- Part of tell_lines: no other line or color of the style that is shown has the item.
not exists (
    select 1 from style_item other
    where other.organization_id = $1::bigint and other.style_id = line.style_id
        and (
            other.item_id = entry.item_id
            or exists (
                select 1 from style_item_color
                where style_item_color.organization_id = $1::bigint and style_item_color.style_item_id = other.id
                    and style_item_color.item_id = entry.item_id and {{is_shown}}
            )
        )
)

-- name: key_texts(organization_id, ids)
select id, user_defined_id from color where organization_id = $1::bigint and id = any($2::bigint[]);

-- name: record
-- Part of documents. Style and color are looked up by record, in an order that the index by id alone has (decision 0006).
select
    n.*,
    style.number as style_number,
    color.name as color_name,
    color.user_defined_id as color_user_defined_id,
    color.color_reference
from style_color n
cross join lateral ({{number from style by n.style_id}}) as style
cross join lateral ({{name, user_defined_id, color_reference from color by n.color_id}}) as color
where n.organization_id = $1::bigint;

-- name: restored
-- Part of check.
select item.n, stored.style_id as owner_id, stored.id as part_id
from rows from (jsonb_to_recordset($2::jsonb) as (id bigint, state text)) with ordinality as item(id, state, n)
cross join lateral ({{* from style_color by item.id}}) as stored
where stored.state = 'deleted' and item.state <> 'deleted'

-- name: taken_files(organization_id, ids)
-- Return the style colors $2 whose restore would bring back a file with the name of another one of the style.
select file.style_color_id as id, min(other.id) as other_id
from style_file file
join style_file other
    on other.organization_id = $1::bigint and other.style_id = file.style_id and other.file_name = file.file_name
        and other.id <> file.id
where file.organization_id = $1::bigint and file.style_color_id = any($2::bigint[]) and file.state_before is not null
    and (other.state <> 'deleted' or other.state_before is not null and other.style_color_id = any($2::bigint[]))
group by file.style_color_id;

-- name: tell_lines(organization_id, ids)
-- Record changes of the bills of materials that show what differs in a color no longer, or again, and of items that count the
-- style by it alone.
select line.style_id as "style-items", case when {{alone}} then entry.item_id end as items
from style_item_color entry
cross join lateral ({{style_id from style_item by entry.style_item_id}}) as line
where entry.organization_id = $1::bigint and entry.style_color_id = any((select $2::text::bigint[])::bigint[]);

-- name: tell_part(organization_id, ids)
-- Record changes of the entries of a part that deleted colors hide, or restored ones show again; the part of a style may have
-- no others.
select
    entry.style_id as "{{part}}",
    case when (
        select other.style_id from {{table}} other
        left join lateral ({{state from style_color by other.style_color_id}}) as shown on true
        where other.organization_id = $1::bigint and other.style_id between entry.style_id and entry.style_id
            and coalesce(shown.state, 'active') <> 'deleted'
        order by other.style_id
        limit 1
    ) is null then entry.style_id end as "{{part}} {{operation}}"
from (
    select distinct one.style_id from {{table}} one
    where one.organization_id = $1::bigint and one.style_color_id = any((select $2::text::bigint[])::bigint[])
) as entry;

-- name: tell_price_lists(organization_id, ids)
-- Record changes of the price lists that count the style by these colors alone.
select entry.price_list_id as "price-lists"
from (
    select distinct one.style_id, one.price_list_id from style_price one
    where one.organization_id = $1::bigint and one.style_color_id = any((select $2::text::bigint[])::bigint[])
) as entry
where not exists (
    select 1 from style_price
    where style_price.organization_id = $1::bigint and style_price.style_id between entry.style_id and entry.style_id
        and style_price.price_list_id = entry.price_list_id and {{is_shown}}
);
