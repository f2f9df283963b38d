-- Item categories (contract, Item categories): hard delete, refused while items refer to them.

-- name: clear_in_deleted_items(organization_id, ids)
update item set item_category_id = null
where organization_id = $1::bigint and item_category_id = any((select $2::text::bigint[])::bigint[]) and state = 'deleted'
returning id as "items";

-- name: last_record
-- Rows of last documents: what items use is not deleted.
select c.*, 0 as used_in_items from item_category c where c.organization_id = $1::bigint

-- name: record
select
    c.*,
    (
        select count(*) from item i
        where i.organization_id = $1::bigint and i.item_category_id = c.id and i.state <> 'deleted'
    ) as used_in_items
from item_category c
where c.organization_id = $1::bigint;
