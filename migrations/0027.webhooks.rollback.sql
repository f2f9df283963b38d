drop table webhook;
