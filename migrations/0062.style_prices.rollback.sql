drop table style_price;
