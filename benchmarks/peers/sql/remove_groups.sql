delete from color_in_group
where organization_id = $1 and color_id = any($2::bigint[])
    and (color_id, color_group_id) not in (select * from unnest($3::bigint[], $4::bigint[]))
