-- Children of records: rows of {{table}} with their owner in {{owner}}. service/records/child_list.py fills the slots from
-- the schema. {{by}} leads to the rows by the primary key: ids, or owners if {{key}} identifies a child within its owner.
-- The arrays make the planner look the rows up; with a join alone it may read all children of the organization.

-- name: deactivate(organization_id, children)
with sent as materialized (
    select sent.id from jsonb_to_recordset($2::jsonb) as sent(id bigint)
)
update {{table}} as stored set is_deactivated = true
where stored.organization_id = $1::bigint and stored.id = any(array(select id from sent)) and not stored.is_deactivated
returning {{record}} as id{{also}}{{turned}};

-- name: filled
(
    select true from {{table}} part
    where part.organization_id = $1::bigint and part.{{owner}} between record.id and record.id{{is_shown}}
    order by part.{{owner}}
    limit 1
)

-- name: insert(organization_id, children)
insert into {{table}} as stored (organization_id, {{owner}}, {{key}}{{columns}})
select o.id, sent."ownerId", sent.id{{values}}
from organization o
cross join jsonb_to_recordset($2::jsonb) as sent("ownerId" bigint, id bigint{{types}})
where o.id = $1::bigint
returning {{record}} as id{{also}};

-- name: join
left join lateral (
    select string_agg({{entry}}, ',' order by {{order}}) as {{list}}
    from (
        {{rows}}
    ) as entry
) as {{list}}_of_page on true

-- name: remove(organization_id, children)
with sent as materialized (
    select sent."ownerId", sent.id from jsonb_to_recordset($2::jsonb) as sent("ownerId" bigint, id bigint)
)
delete from {{table}} as stored
using sent
where stored.organization_id = $1::bigint and stored.{{by}} = any(array(select {{by_sent}} from sent))
    and stored.{{owner}} = sent."ownerId" and stored.{{key}} = sent.id
returning {{record}} as id{{also}};

-- name: rows
select {{selected}}
from {{table}} as {{row}} {{nested}}
where {{row}}.organization_id = $1::bigint and {{row}}.{{owner}} = {{parent}}.id{{is_shown}}

-- name: rows_and_lists
select {{row}}.*{{lists}}
from (
    {{rows}}
) as {{row}} {{nested}}

-- name: stored(organization_id, owner_ids)
-- An array per column takes less time than a row per child.
select array_agg({{owner}}), array_agg({{key}}){{aggregated}}
from (
    select {{owner}}, {{key}}{{read}}
    from {{table}}
    where organization_id = $1::bigint and {{owner}} = any((select $2::text::bigint[])::bigint[]){{is_shown}}
    order by {{key}}{{lock}}
) as stored;

-- name: unknown_languages(organization_id, ids)
-- Languages are shared by all organizations. The organization is a parameter, as in every statement.
select sent.id from unnest($2::bigint[]) as sent(id)
where $1::bigint is not null and not exists (select 1 from language where language.id = sent.id);

-- name: update(organization_id, children)
-- Reactivates deactivated children.
with sent as materialized (
    select sent.* from jsonb_to_recordset($2::jsonb) as sent(
        "ownerId" bigint, id bigint, "isShown" boolean, "isBack" boolean{{types}}
    )
)
update {{table}} as stored
set {{assigned}}
from sent
where stored.organization_id = $1::bigint and stored.{{by}} = any(array(select {{by_sent}} from sent))
    and stored.{{owner}} = sent."ownerId" and stored.{{key}} = sent.id
returning {{record}} as id{{also_updated}}{{shown}};
