-- What needs a size, for who replaces the sizes of a size range.
create index sample_request_size_by_size on sample_request_size (organization_id, size_range_size_id);

create index measurement_line_value_by_size on measurement_line_value (organization_id, size_range_size_id);

create index size_range_size_by_related on size_range_size (organization_id, related_size_range_size_id);
