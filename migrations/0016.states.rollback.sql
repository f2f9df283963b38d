comment on column style_category.state is null;
comment on column brand.state is null;

drop index color_group_by_own_key;

drop index style_category_by_own_key;

drop index brand_by_own_key;

alter table style_category drop column state;

alter table brand drop column state;
