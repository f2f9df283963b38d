-- Lists of SKUs and of prices read the GTIN of each SKU from the index alone.
drop index barcode_by_style_sku;

create index barcode_by_style_sku on barcode (organization_id, style_sku_id, id)
    include (barcode, gtin14, is_primary, state) where style_sku_id is not null;
