-- Associations of style custom fields: {{link}} links custom fields to {{target}} by {{column}}.

-- name: delete_restrictions(organization_id, ids)
delete from {{link}}
where organization_id = $1::bigint and {{column}} = any((select $2::text::bigint[])::bigint[])
returning custom_field_id as "style-custom-fields";

-- name: find(organization_id, ids, references)
select id, {{reference}} as reference
from {{target}}
where organization_id = $1::bigint
    and id = any($2::bigint[] || array(
        select one.id from {{target}} one
        where one.organization_id = $1::bigint and one.{{reference}} = any($3::text[])
    ))
    and state <> 'deleted'
order by id
for key share;

-- name: shown_in_style_custom_fields(organization_id, ids)
select custom_field_id as id from {{link}}
where organization_id = $1::bigint and {{column}} = any($2::bigint[]);
