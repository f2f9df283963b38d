delete from color_language
where organization_id = $1 and color_id = any($2::bigint[])
    and (color_id, language_id) not in (select * from unnest($3::bigint[], $4::bigint[]))
