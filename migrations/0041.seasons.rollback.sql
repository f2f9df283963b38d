drop table season;
