select id from channel where organization_id = $1 and id = $2 and state <> 'deleted'
