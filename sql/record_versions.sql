-- Versions of records: what they were before each change (contract, History).

-- name: expire(organization_id, first_n, last_n)
delete from record_version version
using (
    select change.id, collection.name, changed.record_id::bigint as record_id
    from change
    cross join lateral jsonb_each(change.records) as collection(name, operations)
    cross join lateral jsonb_each(collection.operations) as operation(name, ids)
    cross join lateral jsonb_array_elements_text(operation.ids) as changed(record_id)
    where change.organization_id = $1::bigint and change.n between $2::bigint and $3::bigint
) as expired
where version.organization_id = $1::bigint and version.collection = expired.name
    and version.record_id = expired.record_id and version.change_id = expired.id;

-- name: forget(organization_id, collection, ids)
-- Versions of records that are removed for good.
delete from record_version
where organization_id = $1::bigint and collection = $2::text and record_id = any($3::bigint[]);

-- name: insert(organization_id, change_id, collections, record_ids, part_ids, versions, forms)
-- Returns no row, as record of changes.sql. The forms are separated by a character that JSON escapes; "" stands for none. Two
-- transactions that change a record without a lock take one version: the later one is repeated.
insert into record_version (organization_id, collection, record_id, part_id, version, change_id, form)
select o.id, image.collection, image.record_id, image.part_id, image.version, $2::bigint, nullif(image.form, '')
from organization o
cross join unnest(
    (select $3::text::text[]), $4::bigint[], $5::bigint[], $6::bigint[], string_to_array($7::text, chr(30))
) as image(collection, record_id, part_id, version, form)
where o.id = $1::bigint;

-- name: mark_expired(organization_id, first_n, last_n)
update change set without_versions = null
where organization_id = $1::bigint and n between $2::bigint and $3::bigint;
