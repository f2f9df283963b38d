-- Steps in which styles are made (contract, Supplier facilities of styles).

-- name: steps
-- Part of documents: with the country of the step, else of where it is done.
select
    step.*,
    coalesce(
        step.country_code,
        (
            -- Ordered, as the counts of decision 0006, so that the index by id is taken.
            select f.country_code from facility f
            where f.organization_id = $1::bigint and f.id between step.facility_id and step.facility_id
            order by f.id
            limit 1
        ),
        (
            select s.country_code from sub_supplier s
            where s.organization_id = $1::bigint and s.id between step.sub_supplier_id and step.sub_supplier_id
            order by s.id
            limit 1
        ),
        (
            select s.country_code from supplier s
            where s.organization_id = $1::bigint and s.id between step.supplier_id and step.supplier_id
            order by s.id
            limit 1
        )
    ) as effective_country_code
from style_supplier_facility step
where step.organization_id = $1::bigint and step.style_id = page.id

-- name: sub_suppliers(organization_id, facility_ids)
select id, sub_supplier_id from facility
where organization_id = $1::bigint and id = any($2::bigint[]);
