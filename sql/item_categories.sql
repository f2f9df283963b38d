-- Item categories (contract, Item categories): hard delete, refused while items refer to them.

-- name: last_record
-- Rows of last documents: what items use is not deleted.
select c.*, 0 as used_in_items from item_category c where c.organization_id = $1::bigint

-- name: record
-- Items are counted in an order that the index by category alone has (decision 0006).
select
    c.*,
    (
        select count(*)
        from (
            select 1 from item i
            where i.organization_id = $1::bigint and i.item_category_id between c.id and c.id and i.state <> 'deleted'
            order by i.item_category_id
        ) as live
    ) as used_in_items
from item_category c
where c.organization_id = $1::bigint;
