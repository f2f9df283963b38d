alter table organization drop column unique_keys;
