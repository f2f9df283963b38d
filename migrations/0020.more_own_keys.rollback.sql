drop index style_by_own_key;

drop index item_by_own_key;

drop index style_category_by_own_key;

drop index color_group_by_own_key;

drop index brand_by_own_key;
