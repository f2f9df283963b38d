-- Care labels of styles (contract, Care instructions of styles).

-- name: processes(organization_id, icon_ids)
select id, process from care_instruction_icon
where organization_id = $1::bigint and id = any($2::bigint[]) and process is not null;
