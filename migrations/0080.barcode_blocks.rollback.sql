comment on column barcode.is_counted is null;

drop index barcode_uncounted;

alter table barcode drop column is_counted;

drop table barcode_block;
