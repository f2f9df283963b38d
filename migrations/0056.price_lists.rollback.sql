drop table price_list;
