drop table channel_price_list;
drop table channel_language;
drop table channel;
