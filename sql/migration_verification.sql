-- Counts and own keys of collections (contract, Migration verification).

-- name: comparison(organization_id, expected_keys, most)
-- The expected keys are a JSON array: asyncpg takes a fifth of a second to encode a long list.
-- How often each key is stored, and how often it is expected.
with record as (
    {{record}}
),
stored as (
    select record.key, count(*) as records from record
    where record.state <> 'deleted' and record.key is not null
    group by record.key
),
expected as (
    select sent.key collate "C" as key, count(*) as records
    from json_array_elements_text($2::text::json) as sent(key)
    group by sent.key
),
compared as materialized (
    select
        coalesce(stored.key, expected.key) as key,
        coalesce(stored.records, 0) as stored,
        coalesce(expected.records, 0) as expected
    from stored
    full join expected on expected.key = stored.key
)
select
    (select count(*) from compared where expected > stored) as missing_count,
    array(
        select key from compared where expected > stored order by key limit $3::integer
    ) as missing,
    (select count(*) from compared where stored > expected) as unexpected_count,
    array(
        select key from compared where stored > expected order by key limit $3::integer
    ) as unexpected,
    (select count(*) from compared where stored > 1) as shared_count,
    array(select key from compared where stored > 1 order by key limit $3::integer) as shared;

-- name: counts(organization_id)
-- The checksum is the sum of numbers of 64 bits, signed ones, not yet modulo 2^64.
with record as materialized (
    {{record}}
)
select
    count(*) filter (where state = 'active') as active,
    count(*) filter (where state = 'inactive') as inactive,
    count(*) filter (where state = 'deleted') as deleted,
    count(*) filter (where state <> 'deleted' and key is null) as without_key,
    (
        select count(*)
        from (
            select key from record where state <> 'deleted' and key is not null
            group by key having count(*) > 1
        ) as shared
    ) as shared_keys,
    coalesce(
        sum(('x' || encode(substring(sha256(convert_to(key, 'UTF8')) for 8), 'hex'))::bit(64)::bigint)
            filter (where state <> 'deleted' and key is not null),
        0
    )::text as key_sum
from record;

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
