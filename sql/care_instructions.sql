-- Care instructions, besides care_texts.sql: hard delete.

-- name: purge(organization_id, ids)
delete from care_instruction
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
returning id;
