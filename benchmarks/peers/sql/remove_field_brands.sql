delete from custom_field_brand
where organization_id = $1 and custom_field_id = any($2::bigint[])
    and (custom_field_id, brand_id) not in (select * from unnest($3::bigint[], $4::bigint[]))
