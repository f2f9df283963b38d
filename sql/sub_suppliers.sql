-- Sub-suppliers with their contacts and facilities (contract, Sub-suppliers). A deletion marks both and leaves them
-- otherwise unchanged, so that they can be restored.

-- name: check_facilities(organization_id, items)
-- Where own keys are unique, a restore cannot bring back two facilities of one name. The lock keeps deleted facilities from
-- being renamed until they are restored.
with restored as materialized (
    select facility.id, facility.name, item.n
    from rows from (jsonb_to_recordset($2::jsonb) as (id bigint, state text)) with ordinality as item(id, state, n)
    join facility on facility.organization_id = $1::bigint and facility.sub_supplier_id = item.id
    where item.state <> 'deleted' and facility.state_before is not null
    order by facility.id
    for no key update of facility
)
select distinct on (n)
    n::integer as item,
    'conflict.duplicate' as type,
    '["state"]' as path,
    'Rename one of the deleted facilities ' || array_to_string((array_agg(id order by id))[1:10], ', ')
    || ': they have one name.' as message
from restored
group by n, name
having count(*) > 1
order by n, min(id);

-- name: contacts
-- Part of documents: none of deleted sub-suppliers.
select contact.*, country.name as country_name
from sub_supplier_contact contact
left join country on country.code = contact.country_code
where contact.organization_id = $1::bigint and contact.sub_supplier_id = page.id and page.state <> 'deleted'

-- name: insert(organization_id, items, source)
insert into sub_supplier as stored (organization_id, id, avatar_color, {{new_columns}}, source)
select
    o.id,
    item.id,
    (array['#2f6f8f', '#8f4a2f', '#4f7d3a', '#7a3f86', '#b0812a', '#3d4f8f', '#a03350'])[1 + item.id % 7],
    {{new_values}},
    $3::text
from organization o
cross join jsonb_to_recordset($2::jsonb) as item(id bigint, {{new_types}})
where o.id = $1::bigint
returning stored.id;

-- name: record
-- Part of documents.
select
    s.*,
    (
        upper(left(s.relation_type, 1) collate "default")
        || translate(substr(s.relation_type, 2), '_-', '  ')
    ) collate "C" as relation_type_name,
    c.name as country_name,
    (
        select count(*) from facility f
        where f.organization_id = $1::bigint and f.sub_supplier_id = s.id and f.state <> 'deleted'
    ) as facility_count
from sub_supplier s
left join country c on c.code = s.country_code
where s.organization_id = $1::bigint

-- name: shown_in_style_supplier_facilities(organization_id, ids)
-- Steps show the country of the sub-supplier if neither they nor their facility have one.
select step.style_id as id
from style_supplier_facility step
left join lateral ({{* from facility by step.facility_id}}) as facility on true
where step.organization_id = $1::bigint and step.sub_supplier_id = any($2::bigint[])
    and step.country_code is null and facility.country_code is null;

-- name: writable_contacts
-- Part of writables, also of deleted sub-suppliers, so that a restoring write can keep them.
select contact.* from sub_supplier_contact contact
where contact.organization_id = $1::bigint and contact.sub_supplier_id = page.id
