select id from brand where organization_id = $1 and id = any($2::bigint[])
