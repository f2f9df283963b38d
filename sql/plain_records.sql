-- Plain records: fields are columns of {{table}}. service/resources/plain_records.py fills the slots from
-- the schema.

-- name: delete(organization_id, ids)
update {{table}} set {{deleted}}
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
returning id, {{deletion_shows}} as shown{{counted}};

-- name: highest
left join lateral (
    select other.position from {{table}} other
    where other.organization_id = $1::bigint and other.organization_id = o.id
    order by other.position desc
    limit 1
) as highest on true

-- name: insert(organization_id, items, source)
insert into {{table}} as stored (organization_id, id, {{new_columns}}{{end_column}}{{position_column}}, source)
select o.id, item.id, {{new_values}}{{new_end}}{{position}}, $3::text
from organization o
cross join jsonb_to_recordset($2::jsonb) as item(id bigint, {{new_types}}){{highest}}
where o.id = $1::bigint
returning stored.id{{counted}};

-- name: lock_last(organization_id, ids)
-- Locks the records to delete for good that are live, and returns their last documents.
select id, {{rendered}} as document
from ({{record}}) as record
where id = any((select $2::text::bigint[])::bigint[]) and state <> 'deleted'
order by id
for update

-- name: present
present as materialized (select now() as moment),

-- name: purge(organization_id, ids)
{{remove}}
returning id{{counted}};

-- name: record
select r.* from {{table}} r where r.organization_id = $1::bigint

-- name: remove(organization_id, ids)
delete from {{table}}
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[]);

-- name: shape(organization_id)
-- Documents or writables.
with record as (
    {{record}}
),
page as (
    {{page}}
)
select page_order, sort_values, {{rendered}} as document
from page
{{joins}};

-- name: update(organization_id, items)
with {{present}}sent as materialized (
    select * from jsonb_to_recordset($2::jsonb) as item(id bigint, {{types}})
)
update {{table}} as stored
set {{assigned}}{{end_assigned}}
from sent as item
cross join lateral ({{* from {{table}} by item.id}}) as before
{{moment}}
-- The array makes the planner look the records up; with joins alone it may read all of the organization.
where stored.organization_id = $1::bigint and stored.id = any(array(select id from sent)) and stored.id = item.id
    and row({{stored_values}}) is distinct from row({{sent_values}})
returning stored.id, {{shows}} as shown{{counted_anew}};

-- name: used(organization_id, ids)
-- Rows without a document for the ids that records refer to, beside those of lock_last.
select id, null::text as document from ({{uses}}) as used;
