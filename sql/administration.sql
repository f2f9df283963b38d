-- Administration: organizations and API keys. Only the command line runs these statements, never a request. Only
-- they read several organizations.

-- name: clock()
select now();

-- name: create_key(organization_id, id, name, scope, scopes, secret_sha256, expires_at, source, created_by)
-- The foreign key refuses an unknown organization. A select from its table would ask every node of a cluster.
insert into api_key (organization_id, id, name, scope, scopes, secret_sha256, expires_at, source, created_by)
values ($1::bigint, $2::bigint, $3::text, $4::text, $5::text[], $6::bytea, $7::timestamptz, $8::text, $9::text)
returning id;

-- name: create_organization(name, multiple_language, pro, unique_keys)
insert into organization (name, multiple_language, pro, unique_keys)
values ($1::text, $2::boolean, $3::boolean, $4::boolean)
returning id;

-- name: is_empty()
select not exists (select 1 from organization);

-- name: is_live_key(organization_id, key_id, secret_sha256)
select exists (
    select 1
      from api_key
     where organization_id = $1::bigint
       and id = $2::bigint
       and (secret_sha256 = $3::bytea or (former_secret_sha256 = $3::bytea and former_secret_until > now()))
       and revoked_at is null
       and (expires_at is null or expires_at > now())
);

-- name: list_keys(organization_id)
select id, organization_id, coalesce(scopes, array[scope]) as scopes, name, coalesce(source, id::text) as source,
       created_at, last_used_at, expires_at, revoked_at
  from api_key
 where $1::bigint is null or organization_id = $1::bigint
 order by organization_id, id;

-- name: list_organizations()
select id, name, multiple_language, pro, unique_keys
  from organization
 order by id;

-- name: list_webhooks(organization_id)
select webhook.id, webhook.organization_id, webhook.state, webhook.url, webhook.failures, webhook.last_error,
       webhook.last_success_at,
       greatest(change_feed.last_n - webhook.n, 0) as behind
  from webhook
  join change_feed on change_feed.organization_id = webhook.organization_id
 where $1::bigint is null or webhook.organization_id = $1::bigint
 order by webhook.organization_id, webhook.id;

-- name: organization_named(name, except_id)
select id
  from organization
 where lower(name) = lower($1::text)
   and id is distinct from $2::bigint
 order by id
 limit 1;

-- name: organization_of_key(key_id, organization_id)
-- Without an organization a cluster asks every node.
select organization_id
  from api_key
 where id = $1::bigint
   and ($2::bigint is null or organization_id = $2::bigint);

-- name: set_organization(organization_id, name, multiple_language, pro, unique_keys)
update organization as stored
   set name = coalesce($2::text, stored.name),
       multiple_language = coalesce($3::boolean, stored.multiple_language),
       pro = coalesce($4::boolean, stored.pro),
       unique_keys = coalesce($5::boolean, stored.unique_keys)
  from organization before
 where stored.id = $1::bigint
   and before.id = $1::bigint
returning
    stored.pro <> before.pro as is_shown,
    row(stored.name, stored.multiple_language, stored.pro, stored.unique_keys)
    is distinct from row(before.name, before.multiple_language, before.pro, before.unique_keys) as is_changed;

-- name: set_webhook_state(webhook_id, state, organization_id)
-- Without an organization a cluster asks every node.
update webhook
   set state = $2::text,
       failures = 0,
       next_at = null
 where id = $1::bigint
   and ($3::bigint is null or organization_id = $3::bigint)
returning organization_id;

-- name: settings(organization_id)
select name, multiple_language, pro, unique_keys
  from organization
 where id = $1::bigint
   for no key update;
