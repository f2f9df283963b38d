drop table item;
drop table item_category;
