alter table webhook drop column api_key_id;

drop index api_key_changed;

alter table api_key drop column changed_at;

alter table api_key drop column former_secret_until;

alter table api_key drop column former_secret_sha256;

alter table api_key drop column created_by;
