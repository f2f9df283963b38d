-- Change feed: an outbox in which writers insert changes, and readers assign sequence numbers (contract, Changes).

-- name: advance(organization_id, last_n)
update change_feed set last_n = $2::bigint
where organization_id = $1::bigint;

-- name: begin(organization_id, epoch)
insert into change_feed (organization_id, epoch)
values ($1::bigint, $2::bigint)
on conflict (organization_id) do nothing;

-- name: changed_records
-- Condition of lists: records that transactions after a number, or without one, have changed, and records that show
-- changed ones.
record.id in (
    select changed.record_id::bigint
    from ({{changes}}) as change
    cross join lateral jsonb_each(change.records -> '{{collection}}') as operation(name, ids)
    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
    {{shown}}
)

-- name: changed_shown
-- Part of changed_records: records that show changed ones of one kind.
union all
select shown.id from ({{shown}}) as shown

-- name: changed_shown_ids
-- Ids of the changed ones in changed_shown.
array(
    select changed.record_id::bigint
    from ({{changes}}) as change
    cross join lateral jsonb_array_elements_text(
        change.causes -> '{{cause}}'
    ) as changed(record_id)
)

-- name: changes_after
-- Transactions of changed_records. Two branches, because an "or" hides the partial indexes from the planner.
select numbered.records, numbered.causes from change numbered
where numbered.organization_id = $1::bigint and numbered.n > {{n}}
union all
select unnumbered.records, unnumbered.causes from change unnumbered
where unnumbered.organization_id = $1::bigint and unnumbered.n is null

-- name: clear(organization_id, last_n)
delete from change
where organization_id = $1::bigint and n <= $2::bigint;

-- name: clear_up_to(organization_id, cleared_n, cleared_at)
update change_feed set cleared_n = $2::bigint, cleared_at = greatest(cleared_at, $3::timestamptz)
where organization_id = $1::bigint;

-- name: heads(organization_ids)
select
    feed.organization_id,
    feed.last_n,
    exists (
        select 1 from change
        where change.organization_id = any($1::bigint[])
            and change.organization_id = feed.organization_id
            and change.n is null
    ) as is_behind
from change_feed feed
where feed.organization_id = any($1::bigint[]);

-- name: kept(organization_id, after_n, max_transactions, max_entries)
-- Beginning of the feed, and whether at most $3 transactions with $4 entries follow $2.
select
    feed.epoch,
    feed.cleared_n,
    feed.cleared_at,
    (
        select oldest.at from change oldest
        where oldest.organization_id = $1::bigint and oldest.n = feed.cleared_n + 1
    ) as oldest_at,
    (
        select count(*) <= $3::integer and coalesce(sum(counted.entries), 0) <= $4::integer
        from (
            (
                select numbered.entries from change numbered
                where numbered.organization_id = $1::bigint and numbered.n > $2::bigint
                limit $3::integer + 1
            )
            union all
            (
                select unnumbered.entries from change unnumbered
                where unnumbered.organization_id = $1::bigint and unnumbered.n is null
                limit $3::integer + 1
            )
        ) as counted
    ) as is_short
from change_feed feed
where feed.organization_id = $1::bigint;

-- name: last_before(organization_id, moment)
-- Last transaction before the first one that began at $2 or later, found by bisection, as numbers have no gaps.
with recursive search as (
    select cleared_n as low, last_n as high from change_feed where organization_id = $1::bigint
    union all
    select
        case when middle.at < $2::timestamptz then middle.n else search.low end,
        case when middle.at < $2::timestamptz then search.high else middle.n - 1 end
    from search
    join change middle on middle.organization_id = $1::bigint and middle.n = (search.low + search.high + 1) / 2
    where search.low < search.high
)
select max(low) from search;

-- name: lock(organization_id)
select last_n, cleared_n from change_feed
where organization_id = $1::bigint
for no key update;

-- name: number(organization_id, last_n, limit)
with next as materialized (
    select id, row_number() over (order by clock, id) as place
    from change
    where organization_id = $1::bigint and n is null
    order by clock, id
    limit $3::integer
)
update change as numbered set n = $2::bigint + next.place
from next
where numbered.organization_id = $1::bigint and numbered.id = next.id
returning numbered.n;

-- name: of_request
-- Condition of page: changes of one request.
and one.request_id = ${{number}}::text

-- name: oldest(organization_id, cleared_n, limit)
select n, at, entries from change
where organization_id = $1::bigint and n > $2::bigint
order by n
limit $3::integer;

-- name: oldest_with_versions(organization_id, limit)
-- Those after the last change of which no versions are kept.
select n, at, entries from change
where organization_id = $1::bigint and n > coalesce(
    (
        select without.n from change without
        where without.organization_id = $1::bigint and without.n is not null and without.without_versions is null
            and without.without_versions is distinct from '{}'
        order by without.n desc
        limit 1
    ),
    0
)
order by n
limit $2::integer;

-- name: page(organization_id, first_n, limit)
-- Page of the feed: transactions from sequence number $2, at most {{span}} of them, until there are $3 entries. The
-- result has a row even without entries, so that the feed's position is of the same snapshot.
select
    feed.last_n,
    feed.cleared_n,
    feed.epoch,
    exists (
        select 1 from change waiting where waiting.organization_id = $1::bigint and waiting.n is null
    ) as is_behind,
    found.n,
    found.at,
    found.api_key_id,
    found.request_id,
    found.entries,
    found.records,
    found.causes
from change_feed feed
left join (
    select counted.*, sum(counted.entries) over (order by counted.n) - counted.entries as entries_before
    from (
        select one.* from change one
        where one.organization_id = $1::bigint and one.n >= $2::bigint and one.n < $2::bigint + {{span}}
            {{condition}}
        order by one.n
        limit $3::integer
    ) as counted
) as found on found.entries_before < $3::integer
where feed.organization_id = $1::bigint
order by found.n;

-- name: record(organization_id, id, key_id, request_id, entries, records, causes, without_versions)
-- Returns no row, so that it can be sent ahead of the commit. The id is a parameter, because a cluster would pull an
-- insert that takes one from a sequence to the coordinator.
insert into change (organization_id, id, clock, api_key_id, request_id, entries, records, causes, without_versions)
select
    o.id,
    $2::bigint,
    coalesce(latest.clock, 0) + 1,
    $3::bigint,
    $4::text,
    $5::integer,
    $6::jsonb,
    $7::jsonb,
    (select $8::text::text[])
from organization o
left join lateral (
    select earlier.clock from change earlier
    where earlier.organization_id = $1::bigint and earlier.organization_id = o.id and earlier.n is null
    order by earlier.clock desc
    limit 1
) as latest on true
where o.id = $1::bigint;

-- name: shown(organization_id, ids, after_id, limit, record_id)
-- Ids of records that show the changed ones, after id $3.
select distinct shown.id
from ({{shown}}) as shown
where shown.id > $3::bigint and ($5::bigint is null or shown.id = $5::bigint)
order by shown.id
limit $4::integer;

-- name: shown_within
-- Part of shown: those of them that meet a condition.
select record.id from ({{shown}}) as record where {{within}}

-- name: state(organization_id, max_unnumbered)
-- Epoch and number of the feed, and how many changes have no number, counted up to $2. The result is of one snapshot.
select
    coalesce(feed.epoch, 0),
    coalesce(feed.last_n, 0),
    (
        select count(*)
        from (
            select 1 from change
            where change.organization_id = $1::bigint and change.n is null
            limit $2::integer
        ) as unnumbered
    )
from organization o
left join change_feed feed on feed.organization_id = o.id and feed.organization_id = $1::bigint
where o.id = $1::bigint;

-- name: touching
-- Condition of page: changes in the collections $4, or with the causes $5.
and (one.records ?| $4::text[] or one.causes ?| $5::text[])

-- name: touching_record
-- Condition of page: changes of the record $6 of the collection $4, or with the causes $5.
and (
    one.records #> array[($4::text[])[1], 'created'] @> $6::jsonb
    or one.records #> array[($4::text[])[1], 'updated'] @> $6::jsonb
    or one.records #> array[($4::text[])[1], 'deleted'] @> $6::jsonb
    or one.causes ?| $5::text[]
)
