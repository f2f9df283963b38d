drop table style_item_size;
drop table style_item_color;
drop table style_item;
