-- Scopes of suppliers: records that belong to the styles of some suppliers (contract, Scopes). {{table}} has the records,
-- and {{style_id}} is the column with their style's id.

-- name: condition
-- Condition of records of a list.
exists (
    select 1
    from {{table}} own
    join style on style.organization_id = $1::bigint and style.id = own.{{style_id}}
    where own.organization_id = $1::bigint and own.id = record.id and style.supplier_id in ({{suppliers}})
)

-- name: visible(organization_id, ids, supplier_ids)
select own.id
from {{table}} own
join style on style.organization_id = $1::bigint and style.id = own.{{style_id}}
where own.organization_id = $1::bigint and own.id = any($2::bigint[]) and style.supplier_id = any($3::bigint[]);
