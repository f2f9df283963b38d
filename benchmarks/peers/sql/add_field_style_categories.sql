insert into custom_field_style_category (organization_id, custom_field_id, style_category_id)
select $1, * from unnest($2::bigint[], $3::bigint[])
on conflict do nothing
