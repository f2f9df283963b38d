drop table size_range_size;
drop table size_range;
