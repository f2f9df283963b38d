-- Sizes are found by their names within a size range (contract, References).
create index size_range_size_by_own_key on size_range_size (organization_id, size_range_id, name, id);

drop index size_range_size_by_range;
