-- Subscriptions to the change feed and their deliveries (contract, Webhooks).

-- name: active()
-- All organizations that have active subscriptions.
select distinct organization_id from webhook where state = 'active';

-- name: add(organization_id, id, url, collections, documents, state, secret, epoch, n)
insert into webhook (organization_id, id, url, collections, documents, state, secret, epoch, n)
values (
    $1::bigint, $2::bigint, $3::text, $4::text[], $5::boolean, $6::text, $7::bytea, $8::bigint, $9::bigint
)
returning id;

-- name: advance(organization_id, id, lease, epoch, n, collection, record_id, delivered_at)
-- Store the position, after a delivery with its time, and hold the lease for longer.
update webhook set
    epoch = $4::bigint, n = $5::bigint, within_collection = $6::text, within_id = $7::bigint,
    batch_from_n = null, batch_n = null, batch_collection = null, batch_id = null,
    failures = case when $8::timestamptz is null then failures else 0 end,
    last_error = case when $8::timestamptz is null then last_error end,
    last_success_at = coalesce($8::timestamptz, last_success_at),
    lease_until = now() + interval '{{lease_seconds}} s'
where organization_id = $1::bigint and id = $2::bigint and lease = $3::bigint
returning id;

-- name: claim(organization_id, id)
-- Lease a subscription if no other sender has it.
update webhook set lease = lease + 1, lease_until = now() + interval '{{lease_seconds}} s'
where organization_id = $1::bigint and id = $2::bigint and state = 'active'
    and (next_at is null or next_at <= now())
    and (lease_until is null or lease_until < now())
returning id, lease;

-- name: dispatch(organization_id, id, lease, from_n, n, collection, record_id)
-- Store what is on its way, so that a repeat sends the same, and hold the lease for longer.
update webhook set
    batch_from_n = $4::bigint, batch_n = $5::bigint, batch_collection = $6::text, batch_id = $7::bigint,
    lease_until = now() + interval '{{lease_seconds}} s'
where organization_id = $1::bigint and id = $2::bigint and lease = $3::bigint and state = 'active'
returning id;

-- name: documents(organization_id)
with record as (
    select
        w.id,
        w.url,
        w.collections,
        w.documents,
        w.state,
        position.n as position,
        greatest(feed.last_n - position.n, 0) + unnumbered.transactions as lag_transactions,
        greatest(extract(epoch from now() - coalesce(following.at, unnumbered.at, now()))::bigint, 0) as lag_seconds,
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
    {{page}}
)
select
    page_order,
    sort_values,
    '{"id":' || id || ',"url":' || to_json(url) || ',"collections":' || to_json(collections)
    || ',"documents":' || to_json(documents) || ',"state":' || to_json(state) || ',"position":' || page.position
    || ',"lag":{"transactions":' || lag_transactions || ',"seconds":' || lag_seconds || '}'
    || ',"lastError":' || coalesce(to_json(last_error)::text, 'null')
    || ',"lastSuccessAt":'
    || coalesce(to_json(to_char(last_success_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'))::text, 'null')
    || ',"failures":' || failures || '}' as document
from page;

-- name: due(organization_ids)
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
            where c.organization_id = any($1::bigint[]) and c.organization_id = w.organization_id and c.n is null
        )
    )
order by w.next_at nulls first, w.id;

-- name: fail(organization_id, id, lease, pauses, error, seconds, failure_logged_at)
-- Store a failed try, the time of the next one and that of the last line in the log, and end the lease.
update webhook set
    state = case when $4::boolean then 'paused' else state end, last_error = $5::text, failures = least(failures, 2147483646) + 1,
    next_at = now() + $6::double precision * interval '1 s', lease_until = null,
    failure_logged_at = $7::timestamptz
where organization_id = $1::bigint and id = $2::bigint and lease = $3::bigint
returning id;

-- name: feed(organization_id)
select epoch, last_n, cleared_n from change_feed where organization_id = $1::bigint;

-- name: hold(organization_id, id)
-- Lock a subscription and read what a merge patch is applied to.
select id, url, collections, documents, state from webhook
where organization_id = $1::bigint and id = $2::bigint
for no key update;

-- name: lags(organization_ids)
-- Age in seconds of the oldest change that an active subscription lacks, by organization.
select w.organization_id, max(
    extract(epoch from now() - coalesce(
        (
            select c.at from change c
            where c.organization_id = any($1::bigint[]) and c.organization_id = w.organization_id and c.n > w.n
            order by c.n
            limit 1
        ),
        (
            select c.at from change c
            where c.organization_id = any($1::bigint[]) and c.organization_id = w.organization_id and c.n is null
            order by c.clock, c.id
            limit 1
        )
    ))
)::double precision as seconds
from webhook w
where w.organization_id = any($1::bigint[]) and w.state = 'active'
group by w.organization_id;

-- name: leased(organization_id, id, lease)
-- Read a subscription as it is now, unless it was paused or another sender has it.
select
    url, collections, documents, secret, epoch, n, within_collection, within_id,
    batch_from_n, batch_n, batch_collection, batch_id, failures,
    failure_logged_at, last_success_at,
    case when former_secret_until > now() then former_secret end as former_secret,
    exists (
        select 1 from api_key k
        where k.organization_id = $1::bigint and k.id = webhook.api_key_id and k.expires_at <= now()
    ) as key_has_expired
from webhook
where organization_id = $1::bigint and id = $2::bigint and lease = $3::bigint and state = 'active';

-- name: release(organization_id, id, lease)
-- End the lease: there is nothing more to send.
update webhook set lease_until = null, next_at = null
where organization_id = $1::bigint and id = $2::bigint and lease = $3::bigint
returning id;

-- name: remove(organization_id, id)
delete from webhook where organization_id = $1::bigint and id = $2::bigint
returning id;

-- name: renew(organization_id, id, lease)
-- Hold the lease for longer, while the receiver takes its time.
update webhook set lease_until = now() + interval '{{lease_seconds}} s'
where organization_id = $1::bigint and id = $2::bigint and lease = $3::bigint
returning id;

-- name: rewind(organization_id, id, epoch, n, collection, record_id)
-- A new lease number makes a sender drop what it has on its way.
update webhook set
    epoch = $3::bigint, n = $4::bigint, within_collection = $5::text, within_id = $6::bigint,
    batch_from_n = null, batch_n = null, batch_collection = null, batch_id = null,
    failures = 0, next_at = null, lease = lease + 1, lease_until = null
where organization_id = $1::bigint and id = $2::bigint
returning id;

-- name: rotate(organization_id, id, secret, former_secret_until)
update webhook set former_secret = secret, former_secret_until = $4::timestamptz, secret = $3::bytea
where organization_id = $1::bigint and id = $2::bigint
returning id;

-- name: secrets(organization_id, id)
-- What a message is made and signed with.
select
    url,
    epoch,
    n - (within_collection is not null)::integer as position,
    secret,
    case when former_secret_until > now() then former_secret end as former_secret
from webhook
where organization_id = $1::bigint and id = $2::bigint;

-- name: total(organization_id)
select count(*) from webhook where organization_id = $1::bigint;

-- name: update(organization_id, id, url, collections, documents, state)
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
