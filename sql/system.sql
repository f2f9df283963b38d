-- Measurements of the database for the metrics (operating, Metrics).

-- name: claim_count()
-- No row if another process has begun to count within a minute. On a cluster it needs every node, so that nobody counts
-- while one is away.
update installation set counted_at = now()
where counted_at is null or counted_at < now() - interval '1 minute'
returning 1;

-- name: counts()
-- The last counts, null before the first ones, and whether the next are due.
select keys_ending, ranges_ending, counted_at is null or counted_at < now() - interval '1 minute' as is_due
from installation;

-- name: ending_keys()
-- Of all organizations.
select count(*) from api_key where revoked_at is null and expires_at between now() and now() + interval '30 days';

-- name: ending_ranges()
-- Ranges in use with less than a tenth of their numbers left, or less than 1,000 of more. Of all organizations.
select organization_id, id, name, last_reference - greatest(first_reference, next_unallocated) + 1 as numbers_left
from barcode_range
where state = 'active' and (
    10 * (last_reference - greatest(first_reference, next_unallocated) + 1) < last_reference - first_reference + 1
    or (
        last_reference - first_reference >= 1000
        and last_reference - greatest(first_reference, next_unallocated) < 999
    )
)
order by organization_id, id
limit 1000;

-- name: growing_tables()
-- None on a cluster, where other nodes have their rows.
select relname as name, greatest(reltuples, 0) as rows, pg_total_relation_size(oid) as bytes
from pg_class
where relname in ('change', 'idempotency_key') and relnamespace = current_schema()::regnamespace
    and not exists (select 1 from pg_extension where extname = 'citus')
order by relname;

-- name: keep_counts(keys, ranges)
update installation set keys_ending = $1::bigint, ranges_ending = $2::bigint
returning keys_ending, ranges_ending;

-- name: late_webhooks(before)
-- Active webhooks that lack a change of before this time; for a command, never for a request.
select webhook.id, webhook.organization_id
from webhook
where state = 'active' and exists (
    select 1 from change
    where change.organization_id = webhook.organization_id and change.n > webhook.n and change.at < $1::timestamptz
)
order by webhook.organization_id, webhook.id;

-- name: most_stored()
-- The organization with the most bytes of stored responses; for a command, never for a request.
select organization_id, sum(octet_length(body)) as bytes
from idempotency_key
group by organization_id
order by bytes desc nulls last
limit 1;

-- name: server()
-- Connections to the server and their limit; age of the oldest transaction id of the database.
select
    (select count(*) from pg_stat_activity where backend_type = 'client backend') as connections,
    current_setting('max_connections')::integer - current_setting('superuser_reserved_connections')::integer
        as connections_limit,
    (select age(datfrozenxid) from pg_database where datname = current_database()) as transaction_id_age;
