-- webhooks: SQL statements as they are sent; only line breaks and indents differ.

-- webhooks.list: First page of all records, in the default order.
--   $1::bigint organization_id
select
    case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
    last_values,
    has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
            '') as documents,
        max(sort_values) as last_values,
        coalesce(max(page_order), 0) > 30 as has_more
    from (
        with record as (
            select
                w.id,
                w.url,
                w.collections,
                w.documents,
                w.state,
                position.n as position,
                greatest(feed.last_n - position.n, 0) + unnumbered.transactions as lag_transactions,
                greatest(extract(epoch from now() - coalesce(following.at, unnumbered.at, now()))::bigint,
                    0) as lag_seconds,
                w.last_error,
                w.last_success_at,
                w.failures
            from webhook w
            join change_feed feed on feed.organization_id = $1::bigint
            cross join lateral (
                select w.n - (w.within_collection is not null)::integer as n
            ) as position
            cross join (
                select count(*) as transactions, min(at) as at
                from (
                    select c.at from change c
                    where c.organization_id = $1::bigint and c.n is null
                    limit 10000
                ) as waiting
            ) as unnumbered
            left join lateral (
                select c.at from change c
                where c.organization_id = $1::bigint and c.n > position.n
                order by c.n
                limit 1
            ) as following on true
            where w.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.id) as page_order,
            case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
                end as sort_values
            from (
                select * from record order by record.id limit 30 + 1 offset 0
            ) as record
        )
        select
            page_order,
            sort_values,
            '{"id":' || id || ',"url":' || to_json(url) || ',"collections":' || to_json(collections)
            || ',"documents":' || to_json(documents) || ',"state":' || to_json(state) || ',"position":'
                || page.position
            || ',"lag":{"transactions":' || lag_transactions || ',"seconds":' || lag_seconds || '}'
            || ',"lastError":' || coalesce(to_json(last_error)::text, 'null')
            || ',"lastSuccessAt":'
            || coalesce(to_json(to_char(last_success_at at time zone 'UTC',
                'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text,
                'null')
            || ',"failures":' || failures || '}' as document
        from page
    ) as page
) as page;
-- Page by number:
--   -                 select * from record order by record.id limit 30 + 1 offset 0
--   +                 select * from record order by record.id limit 30 + 1 offset $2::bigint
-- Again, cut, if the page exceeds its bytes:
--   -     case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
--   -     last_values,
--   -     has_more
--   +     convert_to(string_agg(document, ',' order by page_order), 'UTF8') as documents,
--   +     (array_agg(sort_values order by page_order desc))[1] as last_values,
--   +     count(*) < max(found) as has_more
--   -         coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
--   -             '') as documents,
--   -         max(sort_values) as last_values,
--   -         coalesce(max(page_order), 0) > 30 as has_more
--   +         page.*,
--   +         sum(octet_length(document)) over (order by page_order) as bytes,
--   +         count(*) over () as found
--   -             case row_number() over (order by record.id) when 30 then json_build_array(record.id)::text
--   -                 end as sort_values
--   +             json_build_array(record.id)::text as sort_values
--   + where page_order = 1 or (page_order <= 30 and bytes <= 8388608)

-- webhooks.list_example: Example: url contains $2, sorted by it, descending.
--   $1::bigint organization_id
--   $2::text filter_value
select
    case when octet_length(documents) <= 8388608 then convert_to(documents, 'UTF8') end as documents,
    last_values,
    has_more
from (
    select
        coalesce(string_agg(document, ',' order by page_order) filter (where page_order <= 30),
            '') as documents,
        max(sort_values) as last_values,
        coalesce(max(page_order), 0) > 30 as has_more
    from (
        with record as (
            select
                w.id,
                w.url,
                w.collections,
                w.documents,
                w.state,
                position.n as position,
                greatest(feed.last_n - position.n, 0) + unnumbered.transactions as lag_transactions,
                greatest(extract(epoch from now() - coalesce(following.at, unnumbered.at, now()))::bigint,
                    0) as lag_seconds,
                w.last_error,
                w.last_success_at,
                w.failures
            from webhook w
            join change_feed feed on feed.organization_id = $1::bigint
            cross join lateral (
                select w.n - (w.within_collection is not null)::integer as n
            ) as position
            cross join (
                select count(*) as transactions, min(at) as at
                from (
                    select c.at from change c
                    where c.organization_id = $1::bigint and c.n is null
                    limit 10000
                ) as waiting
            ) as unnumbered
            left join lateral (
                select c.at from change c
                where c.organization_id = $1::bigint and c.n > position.n
                order by c.n
                limit 1
            ) as following on true
            where w.organization_id = $1::bigint
        ),
        page as materialized (
            select record.*, row_number() over (order by record.url desc, record.id) as page_order,
            case row_number() over (order by record.url desc, record.id)
                when 30 then json_build_array(record.url, record.id)::text end as sort_values
            from (
                select * from record
                    where strpos(lower(record.url collate "default"), lower($2::text collate "default")) > 0
                order by record.url desc, record.id limit 30 + 1 offset 0
            ) as record
        )
        select
            page_order,
            sort_values,
            '{"id":' || id || ',"url":' || to_json(url) || ',"collections":' || to_json(collections)
            || ',"documents":' || to_json(documents) || ',"state":' || to_json(state) || ',"position":'
                || page.position
            || ',"lag":{"transactions":' || lag_transactions || ',"seconds":' || lag_seconds || '}'
            || ',"lastError":' || coalesce(to_json(last_error)::text, 'null')
            || ',"lastSuccessAt":'
            || coalesce(to_json(to_char(last_success_at at time zone 'UTC',
                'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text,
                'null')
            || ',"failures":' || failures || '}' as document
        from page
    ) as page
) as page;
-- Next page, by cursor:
--   +                     and (record.url <= $3::text) and (record.url < $3::text or record.id > $4::bigint)

-- webhooks.count: Count the records of all pages.
--   $1::bigint organization_id
-- Begins like a documents statement, up to its page.
with record as (
    select
        w.id,
        w.url,
        w.collections,
        w.documents,
        w.state,
        position.n as position,
        greatest(feed.last_n - position.n, 0) + unnumbered.transactions as lag_transactions,
        greatest(extract(epoch from now() - coalesce(following.at, unnumbered.at, now()))::bigint,
            0) as lag_seconds,
        w.last_error,
        w.last_success_at,
        w.failures
    from webhook w
    join change_feed feed on feed.organization_id = $1::bigint
    cross join lateral (
        select w.n - (w.within_collection is not null)::integer as n
    ) as position
    cross join (
        select count(*) as transactions, min(at) as at
        from (
            select c.at from change c
            where c.organization_id = $1::bigint and c.n is null
            limit 10000
        ) as waiting
    ) as unnumbered
    left join lateral (
        select c.at from change c
        where c.organization_id = $1::bigint and c.n > position.n
        order by c.n
        limit 1
    ) as following on true
    where w.organization_id = $1::bigint
),
page as materialized (
    select record.id from record
)
select count(*) as total from page;
-- Count of the example:
--   +         where strpos(lower(record.url collate "default"), lower($2::text collate "default")) > 0

-- webhooks.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select
            w.id,
            w.url,
            w.collections,
            w.documents,
            w.state,
            position.n as position,
            greatest(feed.last_n - position.n, 0) + unnumbered.transactions as lag_transactions,
            greatest(extract(epoch from now() - coalesce(following.at, unnumbered.at, now()))::bigint,
                0) as lag_seconds,
            w.last_error,
            w.last_success_at,
            w.failures
        from webhook w
        join change_feed feed on feed.organization_id = $1::bigint
        cross join lateral (
            select w.n - (w.within_collection is not null)::integer as n
        ) as position
        cross join (
            select count(*) as transactions, min(at) as at
            from (
                select c.at from change c
                where c.organization_id = $1::bigint and c.n is null
                limit 10000
            ) as waiting
        ) as unnumbered
        left join lateral (
            select c.at from change c
            where c.organization_id = $1::bigint and c.n > position.n
            order by c.n
            limit 1
        ) as following on true
        where w.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select
        page_order,
        sort_values,
        '{"id":' || id || ',"url":' || to_json(url) || ',"collections":' || to_json(collections)
        || ',"documents":' || to_json(documents) || ',"state":' || to_json(state) || ',"position":'
            || page.position
        || ',"lag":{"transactions":' || lag_transactions || ',"seconds":' || lag_seconds || '}'
        || ',"lastError":' || coalesce(to_json(last_error)::text, 'null')
        || ',"lastSuccessAt":'
        || coalesce(to_json(to_char(last_success_at at time zone 'UTC',
            'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text,
            'null')
        || ',"failures":' || failures || '}' as document
    from page
) as page;

-- webhooks.active: List the organizations that have active subscriptions.
-- All organizations that have active subscriptions.
select distinct organization_id from webhook where state = 'active';

-- webhooks.add: Insert a subscription.
--   $1::bigint organization_id
--   $2::bigint id
--   $3::text url
--   $4::text[] collections
--   $5::boolean documents
--   $6::text state
--   $7::bytea secret
--   $8::bigint epoch
--   $9::bigint n
insert into webhook (organization_id, id, url, collections, documents, state, secret, epoch, n)
values (
    $1::bigint, $2::bigint, $3::text, $4::text[], $5::boolean, $6::text, $7::bytea, $8::bigint, $9::bigint
)
returning id;

-- webhooks.advance: Store the position of a sender that has the lease.
--   $1::bigint organization_id
--   $2::bigint id
--   $3::bigint lease
--   $4::bigint epoch
--   $5::bigint n
--   $6::text collection
--   $7::bigint record_id
--   $8::timestamptz delivered_at
-- Store the position, after a delivery with its time, and hold the lease for longer.
update webhook set
    epoch = $4::bigint, n = $5::bigint, within_collection = $6::text, within_id = $7::bigint,
    batch_from_n = null, batch_n = null, batch_collection = null, batch_id = null,
    failures = case when $8::timestamptz is null then failures else 0 end,
    last_error = case when $8::timestamptz is null then last_error end,
    last_success_at = coalesce($8::timestamptz, last_success_at),
    lease_until = now() + interval '8 s'
where organization_id = $1::bigint and id = $2::bigint and lease = $3::bigint
returning id;

-- webhooks.claim: Lease a subscription.
--   $1::bigint organization_id
--   $2::bigint id
-- Lease a subscription if no other sender has it.
update webhook set lease = lease + 1, lease_until = now() + interval '8 s'
where organization_id = $1::bigint and id = $2::bigint and state = 'active'
    and (next_at is null or next_at <= now())
    and (lease_until is null or lease_until < now())
returning id, lease;

-- webhooks.dispatch: Store the batch that is on its way.
--   $1::bigint organization_id
--   $2::bigint id
--   $3::bigint lease
--   $4::bigint from_n
--   $5::bigint n
--   $6::text collection
--   $7::bigint record_id
-- Store what is on its way, so that a repeat sends the same, and hold the lease for longer.
update webhook set
    batch_from_n = $4::bigint, batch_n = $5::bigint, batch_collection = $6::text, batch_id = $7::bigint,
    lease_until = now() + interval '8 s'
where organization_id = $1::bigint and id = $2::bigint and lease = $3::bigint and state = 'active'
returning id;

-- webhooks.due: Find the subscriptions that have something to send.
--   $1::bigint[] organization_ids
-- Active subscriptions that have something to send, those first that have been due for longest.
select w.organization_id, w.id
from webhook w
join change_feed feed on feed.organization_id = any($1::bigint[]) and feed.organization_id = w.organization_id
where w.organization_id = any($1::bigint[])
    and w.state = 'active'
    and (w.next_at is null or w.next_at <= now())
    and (w.lease_until is null or w.lease_until < now())
    and (
        w.n < feed.last_n
        or w.batch_n is not null
        or w.within_collection is not null
        or w.epoch <> feed.epoch
        or exists (
            select 1 from change c
            where c.organization_id = any($1::bigint[]) and c.organization_id = w.organization_id
                and c.n is null
        )
    )
order by w.next_at nulls first, w.id;

-- webhooks.fail: Store a failed try.
--   $1::bigint organization_id
--   $2::bigint id
--   $3::bigint lease
--   $4::boolean pauses
--   $5::text error
--   $6::double precision seconds
-- Store a failed try and the time of the next one, and end the lease.
update webhook set
    state = case when $4::boolean then 'paused' else state end, last_error = $5::text,
        failures = least(failures, 2147483646) + 1,
    next_at = now() + $6::double precision * interval '1 s', lease_until = null
where organization_id = $1::bigint and id = $2::bigint and lease = $3::bigint
returning id;

-- webhooks.feed: Read where the feed begins and ends.
--   $1::bigint organization_id
select epoch, last_n, cleared_n from change_feed where organization_id = $1::bigint;

-- webhooks.hold: Lock and read a subscription.
--   $1::bigint organization_id
--   $2::bigint id
-- Lock a subscription and read what a merge patch is applied to.
select id, url, collections, documents, state from webhook
where organization_id = $1::bigint and id = $2::bigint
for no key update;

-- webhooks.lags: Measure the largest lag of each organization's subscriptions.
--   $1::bigint[] organization_ids
-- Age in seconds of the oldest change that an active subscription lacks, by organization.
select w.organization_id, max(
    extract(epoch from now() - coalesce(
        (
            select c.at from change c
            where c.organization_id = any($1::bigint[]) and c.organization_id = w.organization_id
                and c.n > w.n
            order by c.n
            limit 1
        ),
        (
            select c.at from change c
            where c.organization_id = any($1::bigint[]) and c.organization_id = w.organization_id
                and c.n is null
            order by c.clock, c.id
            limit 1
        )
    ))
)::double precision as seconds
from webhook w
where w.organization_id = any($1::bigint[]) and w.state = 'active'
group by w.organization_id;

-- webhooks.leased: Read a leased subscription.
--   $1::bigint organization_id
--   $2::bigint id
--   $3::bigint lease
-- Read a subscription as it is now, unless it was paused or another sender has it.
select
    url, collections, documents, secret, epoch, n, within_collection, within_id,
    batch_from_n, batch_n, batch_collection, batch_id, failures, last_error,
    case when former_secret_until > now() then former_secret end as former_secret
from webhook
where organization_id = $1::bigint and id = $2::bigint and lease = $3::bigint and state = 'active';

-- webhooks.release: End a lease.
--   $1::bigint organization_id
--   $2::bigint id
--   $3::bigint lease
-- End the lease: there is nothing more to send.
update webhook set lease_until = null, next_at = null
where organization_id = $1::bigint and id = $2::bigint and lease = $3::bigint
returning id;

-- webhooks.remove: Delete a subscription.
--   $1::bigint organization_id
--   $2::bigint id
delete from webhook where organization_id = $1::bigint and id = $2::bigint
returning id;

-- webhooks.renew: Extend a lease.
--   $1::bigint organization_id
--   $2::bigint id
--   $3::bigint lease
-- Hold the lease for longer, while the receiver takes its time.
update webhook set lease_until = now() + interval '8 s'
where organization_id = $1::bigint and id = $2::bigint and lease = $3::bigint
returning id;

-- webhooks.rewind: Set the position.
--   $1::bigint organization_id
--   $2::bigint id
--   $3::bigint epoch
--   $4::bigint n
--   $5::text collection
--   $6::bigint record_id
-- A new lease number makes a sender drop what it has on its way.
update webhook set
    epoch = $3::bigint, n = $4::bigint, within_collection = $5::text, within_id = $6::bigint,
    batch_from_n = null, batch_n = null, batch_collection = null, batch_id = null,
    failures = 0, next_at = null, lease = lease + 1, lease_until = null
where organization_id = $1::bigint and id = $2::bigint
returning id;

-- webhooks.rotate: Store a new secret, and the former one for a while.
--   $1::bigint organization_id
--   $2::bigint id
--   $3::bytea secret
--   $4::timestamptz former_secret_until
update webhook set former_secret = secret, former_secret_until = $4::timestamptz, secret = $3::bytea
where organization_id = $1::bigint and id = $2::bigint
returning id;

-- webhooks.secrets: Read what a message is made and signed with.
--   $1::bigint organization_id
--   $2::bigint id
-- What a message is made and signed with.
select
    url,
    epoch,
    n - (within_collection is not null)::integer as position,
    secret,
    case when former_secret_until > now() then former_secret end as former_secret
from webhook
where organization_id = $1::bigint and id = $2::bigint;

-- webhooks.total: Count the subscriptions.
--   $1::bigint organization_id
select count(*) from webhook where organization_id = $1::bigint;

-- webhooks.update: Update the subscription if it differs.
--   $1::bigint organization_id
--   $2::bigint id
--   $3::text url
--   $4::text[] collections
--   $5::boolean documents
--   $6::text state
-- The next try is due at once, also if nothing else changes.
update webhook set
    url = $3::text, collections = $4::text[], documents = $5::boolean, state = $6::text,
    failures = 0, next_at = null
where organization_id = $1::bigint and id = $2::bigint
    and (
        next_at is not null
        or (url, collections, documents, state) is distinct from ($3::text, $4::text[], $5::boolean, $6::text)
    )
returning id;
