-- Keys over HTTP (contract, Keys): who created a key, its secret before the last rotation, and the keys of webhooks.
alter table api_key add column created_by text collate "C";

alter table api_key add column former_secret_sha256 bytea;

alter table api_key add column former_secret_until timestamptz;

alter table api_key add column changed_at timestamptz;

create index api_key_changed on api_key (organization_id, changed_at) where changed_at is not null;

alter table webhook add column api_key_id bigint;

comment on column api_key.created_by is 'Key or operator that created it, as in the audit log; null for keys of before.';
comment on column api_key.former_secret_sha256 is 'Digest of the secret before the last rotation.';
comment on column api_key.former_secret_until is 'Until when that secret is valid as well.';
comment on column api_key.changed_at is 'Time of the last rotation, or of the deletion: workers look for it.';
comment on column webhook.api_key_id is 'Key that created or changed it last, whose deletion pauses it; null for one of before.';
