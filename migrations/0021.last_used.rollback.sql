comment on column api_key.last_used_at is null;

alter table api_key drop column last_used_at;
