comment on column webhook.api_key_id is null;

comment on column api_key.changed_at is null;

comment on column api_key.former_secret_until is null;

comment on column api_key.former_secret_sha256 is null;

comment on column api_key.created_by is null;

alter table webhook drop column api_key_id;

drop index api_key_changed;

alter table api_key drop column changed_at;

alter table api_key drop column former_secret_until;

alter table api_key drop column former_secret_sha256;

alter table api_key drop column created_by;
