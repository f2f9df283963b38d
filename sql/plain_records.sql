-- Records whose fields are columns of {{table}}: what differs is filled in from the schema (service/resources/plain_records.py).

-- name: delete
update {{table}} set state = 'deleted'
where organization_id = $1::bigint and id = any($2::bigint[])
returning id, {{deletion_shows}} as shown{{counted}};

-- name: insert
insert into {{table}} (organization_id, id, {{columns}})
select $1::bigint, item.id, {{new}}
from jsonb_to_recordset($2::jsonb) as item(id bigint, {{types}})
returning id{{counted}};

-- name: purge
delete from {{table}}
where organization_id = $1::bigint and id = any($2::bigint[])
returning id{{counted}};

-- name: shape
-- Documents or writables.
with record as (
    select r.* from {{table}} r where r.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select page_order, sort_values, {{rendered}} as document
from page
{{more}};

-- name: update
update {{table}} as stored
set {{assigned}}
from jsonb_to_recordset($2::jsonb) as item(id bigint, {{types}})
join {{table}} before on before.organization_id = $1::bigint and before.id = item.id
where stored.organization_id = $1::bigint and stored.id = item.id
    and row({{held}}) is distinct from row({{sent}})
returning stored.id, {{shows}} as shown{{counted_anew}};
