alter table change reset (toast_tuple_target);
