select id from price_list where organization_id = $1 and id = $2 and state <> 'deleted'
