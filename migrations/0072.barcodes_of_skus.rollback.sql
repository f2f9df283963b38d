drop index barcode_by_style_sku;

create index barcode_by_style_sku on barcode (organization_id, style_sku_id, id) where style_sku_id is not null;
