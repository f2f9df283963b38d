create index size_range_size_by_range on size_range_size (organization_id, size_range_id);

drop index size_range_size_by_own_key;
