-- Records that callers could only read get the states of all others, and indexes for the customer's own keys.
alter table brand add column state text collate "C" not null default 'active';

alter table brand add constraint brand_state_check check (state in ('active', 'inactive', 'deleted'));

alter table style_category add column state text collate "C" not null default 'active';

alter table style_category add constraint style_category_state_check check (state in ('active', 'inactive', 'deleted'));

create index brand_by_own_key on brand (organization_id, custom_id, id);

create index style_category_by_own_key on style_category (organization_id, user_defined_id, id);

create index color_group_by_own_key on color_group (organization_id, user_defined_id, id);

comment on column brand.state is 'active, inactive or deleted.';
comment on column style_category.state is 'active, inactive or deleted.';
