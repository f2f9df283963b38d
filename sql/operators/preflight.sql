-- Statement of the preflight check.

-- name: properties()
-- Version, encoding, whether case is known beyond ASCII, and the connections that are allowed.
select current_setting('server_version_num')::int,
       current_setting('server_encoding'),
       lower('Ä') = 'ä',
       least(
           current_setting('max_connections')::int
               - current_setting('superuser_reserved_connections')::int
               - coalesce(current_setting('reserved_connections', true)::int, 0),
           (select nullif(rolconnlimit, -1) from pg_roles where rolname = current_user),
           (select nullif(datconnlimit, -1) from pg_database where datname = current_database())
       );
