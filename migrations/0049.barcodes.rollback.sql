drop table barcode;
