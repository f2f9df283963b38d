-- changes: SQL statements as they are sent; only line breaks and indents differ.

-- changes.page: Read a page of transactions.
--   $1::bigint organization_id
--   $2::bigint first_n
--   $3::integer limit
-- Page of the feed: transactions from sequence number $2, at most 10000 of them, until there are $3 entries. The
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
        where one.organization_id = $1::bigint and one.n >= $2::bigint and one.n < $2::bigint + 10000
        order by one.n
        limit $3::integer
    ) as counted
) as found on found.entries_before < $3::integer
where feed.organization_id = $1::bigint
order by found.n;
-- Changes of some collections:
--   -         order by one.n
--   -         limit $3::integer
--   +             -- Condition of page: changes in the collections $4, or with the causes $5.
--   +         and (one.records ?| $4::text[] or one.causes ?| $5::text[])
--   +                 order by one.n
--   +                 limit $3::integer
-- Changes of one record:
--   -         order by one.n
--   -         limit $3::integer
--   +             -- Condition of page: changes of the record $6 of the collection $4, or with the causes $5.
--   +         and (
--   +             one.records #> array[($4::text[])[1], 'created'] @> $6::jsonb
--   +             or one.records #> array[($4::text[])[1], 'updated'] @> $6::jsonb
--   +             or one.records #> array[($4::text[])[1], 'deleted'] @> $6::jsonb
--   +             or one.causes ?| $5::text[]
--   +         )
--   +                 order by one.n
--   +                 limit $3::integer

-- changes.advance: Store the last assigned sequence number.
--   $1::bigint organization_id
--   $2::bigint last_n
update change_feed set last_n = $2::bigint
where organization_id = $1::bigint;

-- changes.begin: Insert the organization's feed.
--   $1::bigint organization_id
--   $2::bigint epoch
insert into change_feed (organization_id, epoch)
values ($1::bigint, $2::bigint)
on conflict (organization_id) do nothing;

-- changes.clear: Delete expired changes.
--   $1::bigint organization_id
--   $2::bigint last_n
delete from change
where organization_id = $1::bigint and n <= $2::bigint;

-- changes.clear_up_to: Store the sequence number up to which changes were deleted.
--   $1::bigint organization_id
--   $2::bigint cleared_n
--   $3::timestamptz cleared_at
update change_feed set cleared_n = $2::bigint, cleared_at = greatest(cleared_at, $3::timestamptz)
where organization_id = $1::bigint;

-- changes.heads: Read the heads of feeds, for the long polls of their organizations.
--   $1::bigint[] organization_ids
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

-- changes.kept: Find out whether the feed still has the changes after a transaction.
--   $1::bigint organization_id
--   $2::bigint after_n
--   $3::integer max_transactions
--   $4::integer max_entries
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

-- changes.last_before: Find the last transaction before a time.
--   $1::bigint organization_id
--   $2::timestamptz moment
-- Last transaction before the first one that began at $2 or later, found by bisection, as numbers have no gaps.
with recursive search as (
    select cleared_n as low, last_n as high from change_feed where organization_id = $1::bigint
    union all
    select
        case when middle.at < $2::timestamptz then middle.n else search.low end,
        case when middle.at < $2::timestamptz then search.high else middle.n - 1 end
    from search
    join change middle on middle.organization_id = $1::bigint
        and middle.n = (search.low + search.high + 1) / 2
    where search.low < search.high
)
select max(low) from search;

-- changes.lock: Lock the feed.
--   $1::bigint organization_id
select last_n, cleared_n from change_feed
where organization_id = $1::bigint
for no key update;

-- changes.number: Assign sequence numbers to committed changes.
--   $1::bigint organization_id
--   $2::bigint last_n
--   $3::integer limit
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

-- changes.oldest: Read the oldest changes, to delete expired ones.
--   $1::bigint organization_id
--   $2::bigint cleared_n
--   $3::integer limit
select n, at from change
where organization_id = $1::bigint and n > $2::bigint
order by n
limit $3::integer;

-- changes.record: Insert the change of a write into the outbox.
--   $1::bigint organization_id
--   $2::bigint id
--   $3::bigint key_id
--   $4::text request_id
--   $5::integer entries
--   $6::jsonb records
--   $7::jsonb causes
-- Returns no row, so that it can be sent ahead of the commit. The id is a parameter, because a cluster would pull an
-- insert that takes one from a sequence to the coordinator.
insert into change (organization_id, id, clock, api_key_id, request_id, entries, records, causes)
select
    o.id,
    $2::bigint,
    coalesce(latest.clock, 0) + 1,
    $3::bigint,
    $4::text,
    $5::integer,
    $6::jsonb,
    $7::jsonb
from organization o
left join lateral (
    select earlier.clock from change earlier
    where earlier.organization_id = $1::bigint and earlier.organization_id = o.id and earlier.n is null
    order by earlier.clock desc
    limit 1
) as latest on true
where o.id = $1::bigint;

-- changes.state: Find out whether the data of the organization have changed.
--   $1::bigint organization_id
--   $2::integer max_unnumbered
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
