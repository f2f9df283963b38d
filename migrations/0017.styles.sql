-- Styles and items as records that callers write, and facilities that show when they went with their sub-supplier.
alter table item add column state text collate "C" not null default 'active';

alter table item add constraint item_state_check check (state in ('active', 'inactive', 'deleted'));

create index item_by_own_key on item (organization_id, number, id);

alter table style add column state text collate "C" not null default 'active';

alter table style add constraint style_state_check check (state in ('active', 'inactive', 'deleted'));

alter table style add column brand_id bigint;

alter table style add column style_category_id bigint;

alter table style add constraint style_brand_fk foreign key (organization_id, brand_id) references brand (organization_id, id);

alter table style add constraint style_category_fk foreign key (organization_id, style_category_id) references style_category (organization_id, id);

create index style_by_brand on style (organization_id, brand_id);

create index style_by_category on style (organization_id, style_category_id);

alter table facility add column state_before text collate "C";

update facility set state_before = state, state = 'deleted' where deleted_with_sub_supplier;

alter table facility drop column deleted_with_sub_supplier;

create index facility_by_own_key on facility (organization_id, sub_supplier_id, name, id);

comment on column item.state is 'active, inactive or deleted.';
comment on column style.state is 'active, inactive or deleted.';
comment on column facility.state_before is 'The state before it was deleted with its sub-supplier, to come back to with it; else null.';
