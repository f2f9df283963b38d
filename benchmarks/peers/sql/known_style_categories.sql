select id from style_category where organization_id = $1 and id = any($2::bigint[])
