comment on column facility.state_before is null;
comment on column style.state is null;
comment on column item.state is null;

drop index facility_by_own_key;

alter table facility add column deleted_with_sub_supplier boolean not null default false;

update facility set deleted_with_sub_supplier = true, state = state_before where state_before is not null;

alter table facility drop column state_before;

drop index style_by_category;

drop index style_by_brand;

alter table style drop column style_category_id;

alter table style drop column brand_id;

alter table style drop column state;

drop index item_by_own_key;

alter table item drop column state;
