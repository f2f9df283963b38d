-- settings: SQL statements as they are sent; only line breaks and indents differ.

-- settings.shown_in_size_ranges: Find the size-ranges that show changed records, for the change feed.
--   $1::bigint organization_id
--   $2::bigint[] ids
--   $3::bigint after_id
--   $4::integer limit
--   $5::bigint record_id
-- Ids of records that show the changed ones, after id $3.
select distinct shown.id
from (
    select id from size_range
    where organization_id = $1::bigint and organization_id = any($2::bigint[]) and is_advanced_grading
) as shown
where shown.id > $3::bigint and ($5::bigint is null or shown.id = $5::bigint)
order by shown.id
limit $4::integer;
