-- Statements that follow from the relations of the schemas (service/records/relation_statements.py). is_shown is the condition of
-- links and entries whose {{target}} is live, is_shown_with_owner of those whose target is live or was deleted with its owner.

-- name: along
-- Part of rows_along: the next rows that refer to those that are deleted.
join {{table}} {{row}} on {{row}}.organization_id = $1::bigint and {{row}}.{{column}} = {{above}}.id

-- name: clear(organization_id, ids)
-- Removes the links of deleted records for good.
delete from {{table}}
where organization_id = $1::bigint and {{column}} = any((select $2::text::bigint[])::bigint[])
returning {{owner}} as "{{source}}.form";

-- name: delete(organization_id, ids)
-- Deletes what goes with deleted records; state_before brings it back with these.
update {{table}} set state_before = state, state = 'deleted'
where organization_id = $1::bigint and {{column}} = any((select $2::text::bigint[])::bigint[]) and state <> 'deleted'
returning {{column}} as id, id as "{{source}}.form deleted";

-- name: entry_of
join {{table}} {{row}} on {{row}}.organization_id = $1::bigint and {{row}}.id = {{above}}.{{column}}

-- name: hidden_in(organization_id, ids)
-- Records and parts with entries that deletes hide or remove, or restores show again, ahead of these.
select distinct {{record}} as "{{source}}.form"{{part}} from {{table}} link
where link.organization_id = $1::bigint and link.{{column}} = any((select $2::text::bigint[])::bigint[]);

-- name: is_shown
(
    {{column}} is null
    or (
        select shown.state <> 'deleted' from {{target}} shown
        where shown.organization_id = $1::bigint and shown.id between {{column}} and {{column}}
        order by shown.id
        limit 1
    )
)

-- name: is_shown_with_owner
(
    {{column}} is null
    or (
        select shown.state <> 'deleted' or shown.state_before is not null from {{target}} shown
        where shown.organization_id = $1::bigint and shown.id between {{column}} and {{column}}
        order by shown.id
        limit 1
    )
)

-- name: other_is_live
-- What went with several records stays deleted until all of them are restored.
and not exists (
    select 1 from {{other}} other
    where other.organization_id = $1::bigint and other.id = {{table}}.{{column}} and other.state = 'deleted'
)

-- name: owner_of_entry
(
    select entry.{{column}} from {{table}} entry
    where entry.organization_id = $1::bigint and entry.id = {{entry}}{{is_shown}}
)

-- name: release(organization_id, ids)
-- Clears the references of deleted records to rows that go.
update {{table}} set {{column}} = null
where organization_id = $1::bigint and {{column}} = any((select $2::text::bigint[])::bigint[]) and state = 'deleted'
returning id as "{{source}}.form";

-- name: restore(organization_id, ids)
update {{table}} set state = state_before, state_before = null
where organization_id = $1::bigint and state_before is not null and {{column}} = any((select $2::text::bigint[])::bigint[])
    {{others_live}}
returning {{column}} as id, id as "{{source}}.form";

-- name: rows_along
-- Rows that refer to what a delete takes along, with the ids of the records to delete.
(
    select row_a.{{column}} as target_id, {{last}}.*
    from {{table}} row_a
    {{joins}}
    where row_a.organization_id = $1::bigint and row_a.state <> 'deleted'
)

-- name: shown_in(organization_id, ids)
select {{record}} as id from {{table}} link
where link.organization_id = $1::bigint and link.{{column}} = any($2::bigint[]);

-- name: told
select {{columns}}
from {{table}} row_a
{{joins}}
where row_a.organization_id = $1::bigint and {{owner}} = any((select $2::text::bigint[])::bigint[]){{is_shown}}

-- name: uses(organization_id, ids)
-- Ids that records of {{table}} refer to by a link, which may be the same table, with the number of live records, and with
-- the ids and own keys of the first ones.
select
    link.{{column}} as id,
    '{{users}}' as users,
    count(distinct record.id) filter (where {{is_live}}) as uses,
    array(
        select json_build_array(named.id, named.key)::text
        from (
            select distinct record.id, {{key}} as key
            from (
                select one.* from {{link}} one
                where one.organization_id = $1::bigint and one.{{column}} between link.{{column}} and link.{{column}}
                order by one.{{column}}
                offset 0
            ) as other
            cross join lateral ({{* from {{table}} by {{other_owner}}}}) as record
            where {{is_live}}
            offset 0
        ) as named
        order by named.id
        limit {{named}}
    ) as first
from {{link}} link
cross join lateral ({{* from {{table}} by {{owner}}}}) as record
where link.organization_id = $1::bigint and link.{{column}} = any((select $2::text::bigint[])::bigint[])
group by link.{{column}};
