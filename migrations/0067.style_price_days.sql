-- Products find the prices that begin and end on some days.
create index style_price_by_first_day on style_price (organization_id, valid_from, style_id) where valid_from is not null;

create index style_price_by_last_day on style_price (organization_id, valid_to, style_id) where valid_to is not null;
