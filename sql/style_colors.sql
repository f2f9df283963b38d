-- Colors of styles (contract, Style colors). The delete of a style marks them, so that its restore brings them back.

-- name: alone
-- Part of tell_deleted_lines and tell_restored_lines: no other line or color of the style that is shown has the item.
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

-- name: check(organization_id, items)
-- Entries that restored colors show again refer to live records.
{{deleted_references}}
order by 1;

-- name: delete_style_files(organization_id, ids)
update style_file set state_before = state, state = 'deleted'
where organization_id = $1::bigint and style_color_id = any((select $2::text::bigint[])::bigint[]) and state <> 'deleted'
returning style_color_id as id, id as "style-files deleted";

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
cross join lateral (
    select s.number from style s
    where s.organization_id = $1::bigint and s.id between n.style_id and n.style_id
    order by s.id
    limit 1
) as style
cross join lateral (
    select c.name, c.user_defined_id, c.color_reference from color c
    where c.organization_id = $1::bigint and c.id between n.color_id and n.color_id
    order by c.id
    limit 1
) as color
where n.organization_id = $1::bigint;

-- name: restore_style_files(organization_id, items)
update style_file set state = state_before, state_before = null
where organization_id = $1::bigint and state_before is not null
    and style_color_id = any(array(
        select item.id from jsonb_to_recordset($2::jsonb) as item(id bigint, state text)
        where item.state <> 'deleted'
    ))
returning style_color_id as id, id as "style-files";

-- name: restored
-- Part of check.
select item.n, stored.style_id, stored.id as color_id
from rows from (jsonb_to_recordset($2::jsonb) as (id bigint, state text)) with ordinality as item(id, state, n)
join style_color stored on stored.organization_id = $1::bigint and stored.id = item.id
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

-- name: tell_deleted(organization_id, ids)
-- Record changes of the entries of a part that deleted colors hide; the part of a style may have no others.
select
    entry.style_id as "{{part}}",
    case when not exists (
        select 1 from {{table}} other
        left join style_color shown on shown.organization_id = $1::bigint and shown.id = other.style_color_id
        where other.organization_id = $1::bigint and other.style_id = entry.style_id
            and coalesce(shown.state, 'active') <> 'deleted'
    ) then entry.style_id end as "{{part}} deleted"
from {{table}} entry
where entry.organization_id = $1::bigint and entry.style_color_id = any((select $2::text::bigint[])::bigint[]);

-- name: tell_deleted_lines(organization_id, ids)
-- Record changes of the bills of materials that show what differs in a color no longer, and of items that count the style no
-- longer.
select line.style_id as "style-items", case when {{alone}} then entry.item_id end as items
from style_item_color entry
join style_item line on line.organization_id = $1::bigint and line.id = entry.style_item_id
where entry.organization_id = $1::bigint and entry.style_color_id = any((select $2::text::bigint[])::bigint[]);

-- name: tell_deleted_price_lists(organization_id, ids)
-- Record changes of the price lists that count the style no longer.
select entry.price_list_id as "price-lists"
from style_price entry
where entry.organization_id = $1::bigint and entry.style_color_id = any((select $2::text::bigint[])::bigint[])
    and not exists (
        select 1 from style_price
        where style_price.organization_id = $1::bigint and style_price.style_id = entry.style_id
            and style_price.price_list_id = entry.price_list_id and {{is_shown}}
    );

-- name: tell_restored(organization_id, items)
-- Record changes of the entries of a part that restored colors show again.
select
    entry.style_id as "{{part}}",
    case when not exists (
        select 1 from {{table}} other
        left join style_color shown on shown.organization_id = $1::bigint and shown.id = other.style_color_id
        where other.organization_id = $1::bigint and other.style_id = entry.style_id
            and coalesce(shown.state, 'active') <> 'deleted'
    ) then entry.style_id end as "{{part}} created"
from jsonb_to_recordset($2::jsonb) as item(id bigint, state text)
join style_color stored on stored.organization_id = $1::bigint and stored.id = item.id
join {{table}} entry on entry.organization_id = $1::bigint and entry.style_color_id = item.id
where stored.state = 'deleted' and item.state <> 'deleted';

-- name: tell_restored_lines(organization_id, items)
select line.style_id as "style-items", case when {{alone}} then entry.item_id end as items
from jsonb_to_recordset($2::jsonb) as item(id bigint, state text)
join style_color stored on stored.organization_id = $1::bigint and stored.id = item.id
join style_item_color entry on entry.organization_id = $1::bigint and entry.style_color_id = item.id
join style_item line on line.organization_id = $1::bigint and line.id = entry.style_item_id
where stored.state = 'deleted' and item.state <> 'deleted';

-- name: tell_restored_price_lists(organization_id, items)
select entry.price_list_id as "price-lists"
from jsonb_to_recordset($2::jsonb) as item(id bigint, state text)
join style_color stored on stored.organization_id = $1::bigint and stored.id = item.id
join style_price entry on entry.organization_id = $1::bigint and entry.style_color_id = item.id
where stored.state = 'deleted' and item.state <> 'deleted'
    and not exists (
        select 1 from style_price
        where style_price.organization_id = $1::bigint and style_price.style_id = entry.style_id
            and style_price.price_list_id = entry.price_list_id and {{is_shown}}
    );
