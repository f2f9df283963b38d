-- Check of what restored records show again: references to deleted records (service/records/restored_references.py). Restored ones
-- have the number of the item, owner_id, and part_id if one is restored by itself, of which only the entries count.
-- The records to which they refer stay locked until the end of the transaction.

-- name: errors
with {{parts}}
select
    needed.n::integer as item,
    'validation_error.unknown_reference' as type,
    '["state"]' as path,
    min(needed.message) as message
from (
    {{messages}}
) as needed
group by needed.n
order by 1

-- name: ids
select id from {{name}}

-- name: is_restored
(style_color_id = restored.part_id or restored.part_id is null and {{is_shown}})

-- name: join
join {{table}} {{row}} on {{row}}.organization_id = $1::bigint and {{matches}}

-- name: message
select {{name}}.n, 'Its {{users}} have a deleted {{noun}}.' as message
from {{name}}
join {{table}}_target target on target.id = {{name}}.id
where target.state = 'deleted'

-- name: references
{{name}} as materialized (
    select distinct restored.n, {{column}} as id
    from restored
    {{joins}}
    where {{condition}}
)

-- name: restored
restored as materialized (
    {{restored}}
)

-- name: targets
{{table}}_target as materialized (
    select target.id, target.state from {{table}} target
    where target.organization_id = $1::bigint and target.id = any(array({{ids}}))
    order by target.id
    for key share
)
