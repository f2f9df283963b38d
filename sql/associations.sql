-- Associations of style custom fields: {{link}} links custom fields to {{target}} by {{column}}.

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
