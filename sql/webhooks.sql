-- Subscriptions to the change feed and their deliveries (contract, Webhooks).

-- name: add(organization_id, url, collections, documents, state, secret, epoch, n)
insert into webhook (organization_id, url, collections, documents, state, secret, epoch, n)
values (
    $1::bigint, $2::text, $3::text[], $4::boolean, $5::text, $6::bytea, $7::bigint, $8::bigint
)
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

-- name: feed(organization_id)
select epoch, last_n, cleared_n from change_feed where organization_id = $1::bigint;

-- name: hold(organization_id, id)
-- Lock a subscription and read what a merge patch is applied to.
select id, url, collections, documents, state from webhook
where organization_id = $1::bigint and id = $2::bigint
for no key update;

-- name: remove(organization_id, id)
delete from webhook where organization_id = $1::bigint and id = $2::bigint
returning id;

-- name: rewind(organization_id, id, epoch, n)
-- A new lease number makes a sender drop what it has on its way.
update webhook set
    epoch = $3::bigint, n = $4::bigint, within_collection = null, within_id = 0,
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
-- The next try is due at once, also that of a subscription that was paused.
update webhook set
    url = $3::text, collections = $4::text[], documents = $5::boolean, state = $6::text,
    failures = 0, next_at = null
where organization_id = $1::bigint and id = $2::bigint
    and (url, collections, documents, state) is distinct from ($3::text, $4::text[], $5::boolean, $6::text)
returning id;
