-- Color groups (contract, Color groups).

-- name: shown_in_colors(organization_id, ids)
select color_id as id from color_in_group
where organization_id = $1::bigint and color_group_id = any($2::bigint[]);
