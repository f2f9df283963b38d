drop table style_sku;
