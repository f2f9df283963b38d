insert into custom_field_group (organization_id, custom_field_id, group_id)
select $1, * from unnest($2::bigint[], $3::bigint[])
on conflict do nothing
