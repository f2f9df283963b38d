alter table barcode drop column assigned_at;
alter table barcode drop column is_primary;
alter table barcode drop column style_sku_id;
