-- Files of styles (contract, Style files). Deletes of styles and style colors mark them, so that a restore brings them back.

-- name: check(organization_id, items)
-- Reports colors of other styles, deleted files that would become main, and main files that are no images or that have the
-- color of an earlier main one.
with item as materialized (
    select sent.*
    from rows from (
        jsonb_to_recordset($2::jsonb)
            as (id bigint, "styleId" bigint, "styleColorId" bigint, category text, "isMain" boolean, state text)
    ) with ordinality as sent(id, style_id, style_color_id, category, is_main, state, n)
),
main as (
    select n, row_number() over (partition by style_id, style_color_id order by n) as rank, category
    from item
    where is_main and state is distinct from 'deleted'
)
select
    item.n::integer as item,
    'validation_error.invalid_value' as type,
    '["styleColorId"]' as path,
    'This is a color of another style.' as message
from item
cross join lateral ({{* from style_color by item.style_color_id}}) as color
where color.style_id <> item.style_id
union all
select n::integer, 'validation_error.invalid_value', '["isMain"]', 'Only an image can be the main file.'
from main
where category <> 'image'
union all
select n::integer, 'validation_error.duplicate', '["isMain"]', 'An earlier item of this request is the main image.'
from main
where rank > 1
union all
select item.n::integer, 'validation_error.invalid_value', '["isMain"]', 'A deleted file cannot be the main image: restore it.'
from item
cross join lateral ({{* from style_file by item.id}}) as stored
where item.is_main and item.state = 'deleted' and not stored.is_main;

-- name: delete(organization_id, ids)
update style_file set state = 'deleted'
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
returning id;

-- name: demote(organization_id, items)
-- The previous main images of the styles and style colors that get another one.
update style_file as former set is_main = false
from jsonb_to_recordset($2::jsonb) as item(id bigint, "styleId" bigint, "styleColorId" bigint, "isMain" boolean, state text)
where former.organization_id = $1::bigint and former.style_id = item."styleId" and former.is_main and former.state <> 'deleted'
    and item."isMain"
    and item.state is distinct from 'deleted' and coalesce(former.style_color_id, 0) = coalesce(item."styleColorId", 0) and former.id <> item.id
returning former.id;

-- name: kept_mains(organization_id, items)
-- Files that are main after the request: one that becomes it (3), else the one that is (2), else a restored one that was (1),
-- unless another is. Deleted ones that were main stay so.
with item as materialized (
    select sent.id, sent.style_id, sent.style_color_id, sent.category, sent.n, sent.state = 'deleted' as is_deleted,
        case
            when sent.is_main and not coalesce(stored.is_main and stored.state = 'deleted', false) then 3
            when not sent.is_main then 0
            when stored.is_main and stored.state = 'deleted' and sent.state is distinct from 'deleted' then 1
            when stored.is_main then 2
            else 0
        end as strength
    from rows from (
        jsonb_to_recordset($2::jsonb)
            as (id bigint, "styleId" bigint, "styleColorId" bigint, category text, "isMain" boolean, state text)
    ) with ordinality as sent(id, style_id, style_color_id, category, is_main, state, n)
    left join lateral ({{* from style_file by sent.id}}) as stored on true
)
select distinct on (style_id, style_color_id, case when is_deleted then id end) id
from item
where strength > 0 and category = 'image'
    and (
        strength > 1
        or not exists (
            select 1 from style_file other
            where other.organization_id = $1::bigint and other.style_id = item.style_id and other.is_main
                and other.state <> 'deleted' and coalesce(other.style_color_id, 0) = coalesce(item.style_color_id, 0)
                and other.id <> all(array(select sent.id from item sent))
        )
    )
order by style_id, style_color_id, case when is_deleted then id end, strength desc, n;

-- name: leave_former(organization_id, items)
-- A file that is restored or moves is no longer restored with its former style or style color.
update style_file set state_before = null
from jsonb_to_recordset($2::jsonb) as item(id bigint, "styleColorId" bigint, state text)
where style_file.organization_id = $1::bigint and style_file.id = item.id and style_file.state_before is not null
    and (item.state <> 'deleted' or coalesce(style_file.style_color_id, 0) <> coalesce(item."styleColorId", 0))
returning style_file.id;
