drop table barcode_range;
