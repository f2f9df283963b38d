insert into custom_field_brand (organization_id, custom_field_id, brand_id)
select $1, * from unnest($2::bigint[], $3::bigint[])
on conflict do nothing
