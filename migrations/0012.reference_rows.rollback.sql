delete from country;
delete from language where id <= 43;
do $$ begin perform setval(pg_get_serial_sequence('language', 'id'), 1, false); end $$;
