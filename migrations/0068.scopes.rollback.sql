comment on column api_key.scopes is null;

alter table api_key drop column scopes;

-- The release before would let them read everything.
update api_key set revoked_at = now() where scope is null and revoked_at is null;

update api_key set scope = 'read' where scope is null;

alter table api_key alter column scope set not null;
