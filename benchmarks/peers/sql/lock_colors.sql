select id from color where organization_id = $1 and id = any($2::bigint[]) order by id for no key update
