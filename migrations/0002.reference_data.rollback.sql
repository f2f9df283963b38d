drop table country;
drop table language;
