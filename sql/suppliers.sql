-- Suppliers with their contacts and sub-suppliers (contract, Suppliers).

-- name: contacts
-- Part of documents: none of deleted suppliers.
select contact.*, country.name as country_name
from supplier_contact contact
left join country on country.code = contact.country_code
where contact.organization_id = $1::bigint and contact.supplier_id = page.id and page.state <> 'deleted'

-- name: record
-- Styles and items are counted in an order that the index by supplier alone has (decision 0006).
select
    n.*,
    country.name as country_name,
    (
        select count(*)
        from (
            select 1 from style s
            where s.organization_id = $1::bigint and s.supplier_id between n.id and n.id and s.state <> 'deleted'
            order by s.supplier_id
        ) as live
    ) as used_in_styles,
    (
        select count(*)
        from (
            select 1 from item i
            where i.organization_id = $1::bigint and i.supplier_id between n.id and n.id and i.state <> 'deleted'
            order by i.supplier_id
        ) as live
    ) as used_in_items
from supplier n
left join country on country.code = n.country_code
where n.organization_id = $1::bigint

-- name: shown_in_style_supplier_facilities(organization_id, ids)
-- Steps show the country of the supplier if neither they nor their facility or sub-supplier have one.
select step.style_id as id
from style_supplier_facility step
left join lateral ({{* from facility by step.facility_id}}) as facility on true
left join lateral ({{* from sub_supplier by step.sub_supplier_id}}) as sub_supplier on true
where step.organization_id = $1::bigint and step.supplier_id = any($2::bigint[])
    and coalesce(step.country_code, facility.country_code, sub_supplier.country_code) is null;

-- name: writable_contacts
-- Part of writables, also of deleted suppliers, so that a restoring write can keep them.
select contact.* from supplier_contact contact
where contact.organization_id = $1::bigint and contact.supplier_id = page.id
