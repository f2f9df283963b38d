-- Counts and own keys of collections (contract, Migration verification). A statement reads the records once.

-- name: comparison(organization_id, expected_keys, most)
-- The totals, and the keys that are stored more or less often than they are expected. The expected keys are a JSON array:
-- asyncpg takes a fifth of a second to encode a long list.
with counted as materialized (
    {{counted}}
),
expected as (
    select sent.key collate "C" as key, count(*) as records
    from json_array_elements_text($2::text::json) as sent(key)
    group by sent.key
),
compared as materialized (
    select
        coalesce(stored.key, expected.key) as key,
        coalesce(stored.live, 0) as stored,
        coalesce(expected.records, 0) as expected
    from (select counted.key, counted.live from counted where counted.key is not null) as stored
    full join expected on expected.key = stored.key
    where coalesce(stored.live, 0) <> coalesce(expected.records, 0) or stored.live > 1
)
select
    totals.*,
    (select count(*) from compared where expected > stored) as missing_count,
    array(
        select key from compared where expected > stored order by key limit $3::integer
    ) as missing,
    (select count(*) from compared where stored > expected) as unexpected_count,
    array(
        select key from compared where stored > expected order by key limit $3::integer
    ) as unexpected,
    (select count(*) from compared where stored > 1) as shared_count,
    array(select key from compared where stored > 1 order by key limit $3::integer) as shared
from ({{totals}}) as totals;

-- name: counted
-- Records by key.
select
    record.key,
    count(*) filter (where record.state = 'active') as active,
    count(*) filter (where record.state = 'inactive') as inactive,
    count(*) filter (where record.state = 'deleted') as deleted,
    count(*) filter (where record.state <> 'deleted') as live
from ({{record}}) as record
group by record.key

-- name: counts(organization_id)
with counted as (
    {{counted}}
)
{{totals}};

-- name: key
case when {{column}} ~ {{visible}} then {{column}} end

-- name: key_within
{{parent}} || chr(31) || {{key}}

-- name: record
select {{state}} as state, ({{key}}) collate "C" as key
from {{table}} r
{{joins}}
where r.organization_id = $1::bigint

-- name: referred
left join {{table}} {{alias}} on {{alias}}.organization_id = $1::bigint and {{alias}}.id = r.{{column}}

-- name: totals
-- The checksum is the sum of numbers of 64 bits, signed ones, not yet modulo 2^64.
select
    coalesce(sum(active), 0)::bigint as active,
    coalesce(sum(inactive), 0)::bigint as inactive,
    coalesce(sum(deleted), 0)::bigint as deleted,
    coalesce(sum(live) filter (where key is null), 0)::bigint as without_key,
    count(*) filter (where key is not null and live > 1) as shared_keys,
    coalesce(
        sum(('x' || encode(substring(sha256(convert_to(key, 'UTF8')) for 8), 'hex'))::bit(64)::bigint::numeric * live)
            filter (where key is not null and live > 0),
        0
    )::text as key_sum
from counted
