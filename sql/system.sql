-- Measurements of the database for the metrics (operating, Metrics).

-- name: ending_keys()
-- Of all organizations: a worker asks once a minute.
select count(*) from api_key where revoked_at is null and expires_at between now() and now() + interval '30 days';

-- name: growing_tables()
-- None on a cluster, where other nodes have their rows.
select relname as name, greatest(reltuples, 0) as rows, pg_total_relation_size(oid) as bytes
from pg_class
where relname in ('change', 'idempotency_key') and relnamespace = current_schema()::regnamespace
    and not exists (select 1 from pg_extension where extname = 'citus')
order by relname;
