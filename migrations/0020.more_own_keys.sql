-- Brands, color groups, style categories, items and styles are found by their own keys, too (contract, Own keys).
create index brand_by_own_key on brand (organization_id, custom_id, id);

create index color_group_by_own_key on color_group (organization_id, user_defined_id, id);

create index style_category_by_own_key on style_category (organization_id, user_defined_id, id);

create index item_by_own_key on item (organization_id, number, id);

create index style_by_own_key on style (organization_id, number, id);
