drop index style_price_by_last_day;
drop index style_price_by_first_day;
