select id from language where id = any($1::bigint[])
