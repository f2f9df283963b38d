drop table deleted_record;
