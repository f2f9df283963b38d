delete from country;
delete from language where id <= 43;
alter table language alter column id restart with 1;
