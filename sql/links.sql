-- Links between records: {{link}} has the columns {{owner}} and {{linked}}. Links are passed as JSON, an array of
-- both ids each.

-- name: add(organization_id, pairs)
insert into {{link}} as stored (organization_id, {{owner}}, {{linked}})
select o.id, (sent.pair ->> 0)::bigint, (sent.pair ->> 1)::bigint
from organization o
cross join jsonb_array_elements($2::jsonb) as sent(pair)
where o.id = $1::bigint
returning stored.{{owner}} as id{{counted}};

-- name: join
-- Part of documents and writables: the ids or entries of each record of the page.
left join lateral (
    select string_agg({{entry}}, ',' order by entry.linked_id) as {{list}}
    from (
        {{rows}}
    ) as entry
) as {{list}}_of_page on true

-- name: linked_ids
select stored.{{linked}} as linked_id
from {{link}} stored
-- In an order that the index by owner alone has (decision 0006).
where stored.organization_id = $1::bigint and stored.{{owner}} between page.id and page.id{{is_shown}}
order by stored.{{owner}}

-- name: linked_rows
-- In an order that the index by owner alone has, as in linked_ids.
select target.*, stored.{{linked}} as linked_id
from {{link}} stored
cross join lateral (
    -- The offset keeps the planner from reading the target of all links at once.
    select * from {{target}} t where t.organization_id = $1::bigint and t.id = stored.{{linked}} offset 0
) as target
where stored.organization_id = $1::bigint and stored.{{owner}} between page.id and page.id
order by stored.{{owner}}

-- name: remove(organization_id, pairs)
with gone as materialized (
    select (pair ->> 0)::bigint as owner_id, (pair ->> 1)::bigint as linked_id
    from jsonb_array_elements($2::jsonb) as sent(pair)
)
delete from {{link}} as stored
using gone
-- The array makes the planner begin with the owners; with a join alone it may read all links of the organization.
where stored.organization_id = $1::bigint and stored.{{owner}} = any(array(select owner_id from gone))
    and stored.{{owner}} = gone.owner_id and stored.{{linked}} = gone.linked_id
returning stored.{{owner}} as id{{counted}};

-- name: stored(organization_id, ids, first_id, last_id)
select '{{link}}' as link, array_agg({{owner}}) as owner_ids, array_agg({{linked}}) as linked_ids
from {{link}}
where organization_id = $1::bigint and {{owner}} = any((select $2::text::bigint[])::bigint[])
    -- The range leads to the index by owner; without it, the planner may read all links of the organization.
    and {{owner}} between $3::bigint and $4::bigint{{is_shown}};
