drop table style_relation;
drop table style_in_group;
drop table style_group;
drop table style;
drop table style_category;
drop table brand;
