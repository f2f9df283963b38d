drop table change_feed;

drop table change;
