-- Sample types (contract, Sample types).

-- name: record
-- Sample requests are counted in an order that the index by sample type alone has (decision 0006).
select
    t.*,
    (
        select count(*)
        from (
            select 1 from sample_request r
            where r.organization_id = $1::bigint and r.sample_type_id between t.id and t.id
            order by r.sample_type_id
        ) as requests
    ) as used_in_sample_requests
from sample_type t
where t.organization_id = $1::bigint;
