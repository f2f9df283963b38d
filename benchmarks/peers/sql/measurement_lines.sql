select
    case when not line.is_deactivated then line.id end as "lineId",
    line.name,
    measured.requested_measurement::float8 as "requestedMeasurement",
    measured.company_measurement::float8 as "companyMeasurement",
    measured.supplier_measurement::float8 as "supplierMeasurement",
    measured.new_measurement::float8 as "newMeasurement",
    case when not line.is_deactivated then line.tolerance::float8 end as tolerance
from sample_request_measurement measured
join measurement_line line
    on line.organization_id = measured.organization_id and line.id = measured.measurement_line_id
where measured.organization_id = $1 and measured.sample_request_id = $2
    and measured.size_range_size_id = $3
order by line.id
