-- Barcodes of SKUs, one of which is the primary one.
alter table barcode add column style_sku_id bigint;

alter table barcode add column is_primary boolean not null default false;

alter table barcode add column assigned_at timestamptz;

alter table barcode add constraint barcode_style_sku_fk foreign key (organization_id, style_sku_id) references style_sku (organization_id, id);

create index barcode_by_style_sku on barcode (organization_id, style_sku_id, id) where style_sku_id is not null;
