-- Steps in which styles are made (contract, Supplier facilities of styles).

-- name: steps
-- Part of documents: with the country of the step, else of where it is done.
select
    step.*,
    coalesce(
        step.country_code,
        (
            -- Ordered, as the counts of decision 0006, so that the index by id is taken.
            {{country_code from facility by step.facility_id}}
        ),
        ({{country_code from sub_supplier by step.sub_supplier_id}}),
        ({{country_code from supplier by step.supplier_id}})
    ) as effective_country_code
from style_supplier_facility step
where step.organization_id = $1::bigint and step.style_id = page.id

-- name: sub_suppliers(organization_id, facility_ids)
select id, sub_supplier_id from facility
where organization_id = $1::bigint and id = any($2::bigint[]);
