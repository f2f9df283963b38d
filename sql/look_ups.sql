-- The look-up of a row by its id, which statements name by its columns, its table and the SQL of the id, in double braces: "name,
-- state from style by entry.style_id" (service/database/statements.py). By "id = x" the planner may expect many rows of a join, and
-- read all of the organization; the range and the order make it look up one row by the primary key (decision 0006).

-- name: row_by_id
select {{columns}} from {{table}} one
where one.organization_id = $1::bigint and one.id between {{id}} and {{id}}
order by one.id
limit 1
