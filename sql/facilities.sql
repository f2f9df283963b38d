-- Facilities (contract, Facilities).

-- name: leave_former(organization_id, items)
-- A facility that moves is no longer restored with its former sub-supplier.
update facility set state_before = null
from jsonb_to_recordset($2::jsonb) as item(id bigint, "subSupplierId" bigint)
where facility.organization_id = $1::bigint and facility.id = item.id
    and facility.state_before is not null and facility.sub_supplier_id <> item."subSupplierId"
returning facility.id;

-- name: record
select f.*, country.name as country_name
from facility f
left join country on country.code = f.country_code
where f.organization_id = $1::bigint

-- name: shown_in_style_supplier_facilities(organization_id, ids)
-- Steps show the country of the facility if they have none.
select style_id as id from style_supplier_facility
where organization_id = $1::bigint and facility_id = any($2::bigint[]) and country_code is null;
