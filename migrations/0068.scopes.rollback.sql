comment on column api_key.scopes is null;

alter table api_key drop column scopes;

-- The release before would let them read everything.
update api_key set revoked_at = coalesce(revoked_at, now()), scope = 'read' where scope is null;

alter table api_key alter column scope set not null;
