delete from style_allowed_value
where organization_id = $1 and custom_field_id = any($2::bigint[])
    and id not in (select * from unnest($3::bigint[]))
