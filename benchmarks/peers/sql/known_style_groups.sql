select id from style_group
where organization_id = $1 and id = any($2::bigint[]) and state <> 'deleted'
