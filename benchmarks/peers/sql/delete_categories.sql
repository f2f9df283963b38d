delete from item_category where organization_id = $1 and id = any($2::bigint[])
