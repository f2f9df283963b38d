insert into color_in_group (organization_id, color_id, color_group_id)
select $1, * from unnest($2::bigint[], $3::bigint[])
on conflict do nothing
