-- Purge of deleted records (operating, Command line). Only the command line runs these statements, for one collection each.

-- name: due(organization_id, collection, days, after_id)
-- Locks the next records that a run has noted $3 days ago or earlier.
select record.id
from {{table}} record
join deleted_record noted on noted.organization_id = $1::bigint and noted.collection = $2::text and noted.id = record.id
where record.organization_id = $1::bigint and record.state = 'deleted' and record.id > $4::bigint
    and noted.seen_at <= now() - make_interval(days => $3::integer)
order by record.id
limit {{limit}}
for update of record;

-- name: forget(organization_id, collection)
-- Forgets records that were restored or are gone.
delete from deleted_record noted
where noted.organization_id = $1::bigint and noted.collection = $2::text
    and not exists (
        select 1 from {{table}} record
        where record.organization_id = $1::bigint and record.id = noted.id and record.state = 'deleted'
    );

-- name: note(organization_id, collection)
insert into deleted_record (organization_id, collection, id)
select o.id, $2::text, record.id
from organization o
join {{table}} record on record.organization_id = $1::bigint and record.organization_id = o.id and record.state = 'deleted'
where o.id = $1::bigint
on conflict (organization_id, collection, id) do nothing;

-- name: references()
-- Foreign keys of the schema, each with the rows that refer (referring) to rows of its target (own). owner is the column with
-- the target's id, if the key has one column beside the organization.
select
    source.relname as source,
    target.relname as target,
    key.confdeltype = 'c' as cascades,
    string_agg(own_column.attname, '') filter (where own_column.attname <> 'organization_id') as owner,
    string_agg(format('referring.%I = own.%I', own_column.attname, target_column.attname), ' and ') as matches
from pg_constraint key
join pg_class source on source.oid = key.conrelid
join pg_class target on target.oid = key.confrelid
cross join lateral unnest(key.conkey, key.confkey) as pair (number, target_number)
join pg_attribute own_column on own_column.attrelid = key.conrelid and own_column.attnum = pair.number
join pg_attribute target_column on target_column.attrelid = key.confrelid and target_column.attnum = pair.target_number
where key.contype = 'f' and target.relnamespace = current_schema()::regnamespace
group by key.oid, source.relname, target.relname, key.confdeltype
order by source.relname, key.oid;

-- name: referred_to
-- Part of unused: a row refers to a record or its children. The referrer is the record that it belongs to, -1 if that is of
-- another collection, so that records of the batch do not count.
exists (
    select 1 from {{target}} own
    join {{source}} referring on referring.organization_id = $1::bigint and {{matches}}
    where own.organization_id = $1::bigint and own.{{owner}} = record.id and {{referrer}} <> all($2::bigint[])
)

-- name: remove(organization_id, ids)
delete from {{table}} own where own.organization_id = $1::bigint and own.{{owner}} = any($2::bigint[]);

-- name: unused(organization_id, ids)
select record.id
from {{table}} record
where record.organization_id = $1::bigint and record.id = any($2::bigint[]) and not ({{referred_to}})
order by record.id;
