-- Scopes of suppliers: records that belong to the styles of some suppliers (contract, Scopes). {{table}} has the records,
-- and {{style_id}} is the column with their style's id.

-- name: condition
-- Condition of records of a list. Both are looked up by record, in an order that the index by id alone has (decision 0006).
(
    select (
        select style.supplier_id from style
        where style.organization_id = $1::bigint and style.id between own.{{style_id}} and own.{{style_id}}
        order by style.id
        limit 1
    )
    from {{table}} own
    where own.organization_id = $1::bigint and own.id between record.id and record.id
    order by own.id
    limit 1
) in ({{suppliers}})

-- name: visible(organization_id, ids, supplier_ids)
select own.id
from {{table}} own
where own.organization_id = $1::bigint and own.id = any($2::bigint[]) and (
    select style.supplier_id from style
    where style.organization_id = $1::bigint and style.id between own.{{style_id}} and own.{{style_id}}
    order by style.id
    limit 1
) = any($3::bigint[]);
