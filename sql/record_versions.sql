-- Versions of records: what they were before each change (contract, History).

-- name: cleared_at(organization_id)
select cleared_at from change_feed where organization_id = $1::bigint;

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

-- name: form_at(organization_id, n, collection, record_id, part_id, owner_collection, owner_id)
-- First versions after the change $2 of a record or part, and of the owner of a part; and whether later changes lack versions.
select
    feed.cleared_n > $2::bigint or exists (
        select 1 from change without
        where without.organization_id = $1::bigint and without.without_versions is distinct from '{}'
            and (without.n > $2::bigint or without.n is null)
            and (without.without_versions is null or without.without_versions && array[$3::text, $6::text])
            and without.records ?| array[$3::text, $6::text]
    ) as is_lost,
    own.version is not null as is_changed,
    own.form,
    owner.version is not null as owner_is_changed,
    owner.form as owner_form
from change_feed feed
left join lateral (
    select kept.version, kept.form
    from record_version kept
    join change on change.organization_id = $1::bigint and change.id = kept.change_id
    where kept.organization_id = $1::bigint and kept.collection = $3::text and kept.record_id = $4::bigint
        and kept.part_id = $5::bigint and (change.n > $2::bigint or change.n is null)
    order by kept.version
    limit 1
) as own on true
left join lateral (
    select kept.version, kept.form
    from record_version kept
    join change on change.organization_id = $1::bigint and change.id = kept.change_id
    where kept.organization_id = $1::bigint and kept.collection = $6::text and kept.record_id = $7::bigint
        and kept.part_id = 0 and (change.n > $2::bigint or change.n is null)
    order by kept.version
    limit 1
) as owner on true
where feed.organization_id = $1::bigint;

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
