-- Facilities (contract, Facilities).

-- name: leave_former(organization_id, items)
-- A facility that moves is no longer restored with its former sub-supplier.
update facility set state_before = null
from jsonb_to_recordset($2::jsonb) as item(id bigint, "subSupplierId" bigint)
where facility.organization_id = $1::bigint and facility.id = item.id
    and facility.state_before is not null and facility.sub_supplier_id <> item."subSupplierId"
returning facility.id;
