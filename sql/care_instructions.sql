-- What care instructions have beside care_texts.sql: they are deleted for good.

-- name: purge
delete from care_instruction
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
returning id;
