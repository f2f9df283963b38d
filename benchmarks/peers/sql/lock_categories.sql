select id, name, begin_date as "beginDate"
from item_category
where organization_id = $1 and id = any($2::bigint[])
order by id
for update
