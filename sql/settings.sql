-- Records that show the organization's settings. $2 has the organization's id, in place of record ids.

-- name: shown_in_size_ranges(organization_id, ids)
select id from size_range
where organization_id = $1::bigint and organization_id = any($2::bigint[]) and is_advanced_grading;
