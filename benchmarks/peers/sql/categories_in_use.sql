select item_category_id from item where organization_id = $1 and item_category_id = any($2::bigint[]) limit 1
