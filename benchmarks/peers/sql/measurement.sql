select
    requested.size_range_size_id as "sizeRangeSizeId",
    size.name as "sizeRangeSizeName",
    request.unit,
    requested.designer_comment as "designerComment",
    array_remove(array[
        case when requested.is_approved then 'approved' end,
        case when requested.is_designer_visible_only then 'designerVisibleOnly' end,
        case when size.is_deactivated then 'sizeDeactivated' end
    ], null) as properties
from sample_request request
join sample_request_size requested
    on requested.organization_id = request.organization_id and requested.sample_request_id = request.id
join size_range_size size
    on size.organization_id = request.organization_id and size.id = requested.size_range_size_id
where request.organization_id = $1 and request.style_id = $2 and request.id = $3
    and requested.size_range_size_id = $4
