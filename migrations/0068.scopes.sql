-- Scopes of keys: what a key may do in each collection. Keys of before have only `scope`.
alter table api_key alter column scope drop not null;

alter table api_key add column scopes text[] collate "C";

comment on column api_key.scopes is 'Scopes, such as styles:write; null for those of the column scope: *:read for read, *:delete for write.';
