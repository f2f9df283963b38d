comment on column country.id is null;
drop table currency;
alter table country drop column id;
