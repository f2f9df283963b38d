insert into color_language (organization_id, color_id, language_id)
select $1, * from unnest($2::bigint[], $3::bigint[])
on conflict do nothing
