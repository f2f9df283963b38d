-- A bulk write's change is a row of about 3 kB, which lives for days: compressing it would take longer than all else
-- that storing it takes.
alter table change set (toast_tuple_target = 8160);
