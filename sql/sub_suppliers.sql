-- Sub-suppliers with their contacts and facilities (contract, Sub-suppliers). A deletion marks both and leaves them
-- otherwise unchanged, so that they can be restored.

-- name: check(organization_id, items)
select
    item.n::integer as item,
    'validation_error.unknown_reference' as type,
    json_build_array('contacts', contact.n - 1, 'id')::text as path,
    'This sub-supplier has no such contact.' as message
from rows from (
    jsonb_to_recordset($2::jsonb) as (id bigint, contacts jsonb)
) with ordinality as item(id, contacts, n)
cross join lateral rows from (
    jsonb_to_recordset(item.contacts) as (id bigint, "isNew" boolean)
) with ordinality as contact(id, is_new, n)
where contact.is_new is null and not exists (
    select 1 from sub_supplier_contact stored
    where stored.organization_id = $1::bigint
        and stored.sub_supplier_id = item.id and stored.id = contact.id
)
order by item.n, contact.n;

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

-- name: delete_contacts(organization_id, ids)
update sub_supplier_contact set deleted_with_sub_supplier = true
where organization_id = $1::bigint and sub_supplier_id = any((select $2::text::bigint[])::bigint[])
returning sub_supplier_id as id;

-- name: delete_facilities(organization_id, ids)
update facility set state_before = state, state = 'deleted'
where organization_id = $1::bigint and sub_supplier_id = any((select $2::text::bigint[])::bigint[]) and state <> 'deleted'
returning sub_supplier_id as id, id as "facilities deleted";

-- name: documents(organization_id)
with record as (
    select
        s.*,
        (
            upper(left(s.relation_type, 1) collate "default")
            || translate(substr(s.relation_type, 2), '_-', '  ')
        ) collate "C" as relation_type_name,
        c.name as country_name,
        (
            select count(*) from facility f
            where f.organization_id = $1::bigint and f.sub_supplier_id = s.id
                and f.state <> 'deleted'
        ) as facility_count
    from sub_supplier s
    left join country c on c.code = s.country_code
    where s.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    {{document_scalars}}
    || ',"contacts":[' || coalesce(contacts.documents, '') || ']}' as document
from page
left join lateral (
    select
        string_agg(
            '{"id":' || k.id
            || coalesce(',"firstName":' || to_json(k.first_name), '')
            || coalesce(',"lastName":' || to_json(k.last_name), '')
            || coalesce(',"email":' || to_json(k.email), '')
            || coalesce(',"phone":' || to_json(k.phone), '')
            || coalesce(',"role":' || to_json(k.role), '')
            || coalesce(',"faxNumber":' || to_json(k.fax_number), '')
            || coalesce(',"countryCode":' || to_json(k.country_code), '')
            || coalesce(',"countryName":' || to_json(c.name), '')
            || ',"properties":[]}',
            ',' order by k.id
        ) as documents
    from sub_supplier_contact k
    left join country c on c.code = k.country_code
    where k.organization_id = $1::bigint and k.sub_supplier_id = page.id
        and not k.deleted_with_sub_supplier
) as contacts on true;

-- name: insert(organization_id, items)
insert into sub_supplier as stored (organization_id, id, avatar_color, {{new_columns}})
select
    o.id,
    item.id,
    (array['#2f6f8f', '#8f4a2f', '#4f7d3a', '#7a3f86', '#b0812a', '#3d4f8f', '#a03350'])[1 + item.id % 7],
    {{new_values}}
from organization o
cross join jsonb_to_recordset($2::jsonb) as item(id bigint, {{new_types}})
where o.id = $1::bigint
returning stored.id;

-- name: insert_contacts(organization_id, items)
insert into sub_supplier_contact as stored (
    organization_id, id, sub_supplier_id, first_name, last_name, email, phone, role, fax_number, country_code,
    deleted_with_sub_supplier
)
select
    o.id,
    contact.id,
    item.id,
    contact."firstName",
    contact."lastName",
    contact.email,
    contact.phone,
    contact.role,
    contact."faxNumber",
    contact."countryCode",
    coalesce(item.state = 'deleted', false)
from organization o
cross join jsonb_to_recordset($2::jsonb) as item(id bigint, state text, contacts jsonb)
cross join lateral jsonb_to_recordset(item.contacts) as contact(
    id bigint, "isNew" boolean, "firstName" text, "lastName" text, email text, phone text, role text,
    "faxNumber" text, "countryCode" text
)
where o.id = $1::bigint and contact."isNew"
returning stored.sub_supplier_id as id;

-- name: remove_contacts(organization_id, items)
delete from sub_supplier_contact
where organization_id = $1::bigint
    and sub_supplier_id = any(array(
        select item.id from jsonb_to_recordset($2::jsonb) as item(id bigint)
    ))
    and id not in (
        select contact.id
        from jsonb_to_recordset($2::jsonb) as item(contacts jsonb)
        cross join lateral jsonb_to_recordset(item.contacts) as contact(id bigint)
    )
returning sub_supplier_id as id;

-- name: restore_facilities(organization_id, items)
update facility set state = state_before, state_before = null
where organization_id = $1::bigint and state_before is not null
    and sub_supplier_id = any(array(
        select item.id from jsonb_to_recordset($2::jsonb) as item(id bigint, state text)
        where item.state <> 'deleted'
    ))
returning sub_supplier_id as id, id as "facilities";

-- name: stored_contacts(organization_id, ids)
select sub_supplier_id, id, first_name, last_name, email, phone, role, fax_number, country_code
from sub_supplier_contact
where organization_id = $1::bigint and sub_supplier_id = any((select $2::text::bigint[])::bigint[]);

-- name: update_contacts(organization_id, items)
-- The planner cannot estimate the number of contacts. An array of ids makes it read by the primary key.
with wanted as materialized (
    select contact.*, item.id as sub_supplier_id, item.state = 'deleted' as goes
    from jsonb_to_recordset($2::jsonb) as item(id bigint, state text, contacts jsonb)
    cross join lateral jsonb_to_recordset(item.contacts) as contact(
        id bigint, "isNew" boolean, "firstName" text, "lastName" text, email text, phone text, role text,
        "faxNumber" text, "countryCode" text
    )
    where contact."isNew" is null
)
update sub_supplier_contact stored
set
    first_name = wanted."firstName",
    last_name = wanted."lastName",
    email = wanted.email,
    phone = wanted.phone,
    role = wanted.role,
    fax_number = wanted."faxNumber",
    country_code = wanted."countryCode",
    deleted_with_sub_supplier = wanted.goes
from wanted
where stored.organization_id = $1::bigint and stored.sub_supplier_id = wanted.sub_supplier_id
    and stored.id = wanted.id and stored.id = any(array(select id from wanted))
    and (
        stored.first_name, stored.last_name, stored.email, stored.phone, stored.role, stored.fax_number,
        stored.country_code, stored.deleted_with_sub_supplier
    ) is distinct from (
        wanted."firstName", wanted."lastName", wanted.email, wanted.phone, wanted.role, wanted."faxNumber",
        wanted."countryCode", wanted.goes
    )
returning stored.sub_supplier_id as id;

-- name: writables(organization_id)
with record as (
    select s.* from sub_supplier s where s.organization_id = $1::bigint
),
page as materialized (
    {{page}}
)
select
    page_order,
    sort_values,
    {{writable_scalars}}
    || ',"contacts":' || coalesce(contacts.documents::text, '[]') || '}' as document
from page
left join lateral (
    select
        json_agg(
            json_build_object(
                'id', id,
                'firstName', first_name,
                'lastName', last_name,
                'email', email,
                'phone', phone,
                'role', role,
                'faxNumber', fax_number,
                'countryCode', country_code
            )
            order by id
        ) as documents
    from sub_supplier_contact
    where organization_id = $1::bigint and sub_supplier_id = page.id
) as contacts on true;
