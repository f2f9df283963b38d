drop index size_range_size_by_related;

drop index measurement_line_value_by_size;

drop index sample_request_size_by_size;
