select id from color_group where organization_id = $1 and id = any($2::bigint[])
