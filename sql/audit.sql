-- Audit: entries of an organization in a chain of hashes (contract, Audit).

-- name: add(organization_id, n, at, actor, action, target, address, details, previous_hash, hash)
insert into audit_entry (organization_id, n, at, actor, action, target, address, details, previous_hash, hash)
values (
    $1::bigint, $2::bigint, $3::timestamptz, $4::text, $5::text, $6::text, $7::text, $8::jsonb, $9::text, $10::text
);

-- name: advance(organization_id, n, hash)
update audit_chain set last_n = $2::bigint, last_hash = $3::text
where organization_id = $1::bigint;

-- name: begin(organization_id, hash)
insert into audit_chain (organization_id, last_n, last_hash, cleared_n, cleared_hash)
values ($1::bigint, 0, $2::text, 0, $2::text)
on conflict (organization_id) do nothing;

-- name: clear(organization_id, n)
delete from audit_entry
where organization_id = $1::bigint and n <= $2::bigint;

-- name: clear_up_to(organization_id, n, hash)
update audit_chain set cleared_n = $2::bigint, cleared_hash = $3::text
where organization_id = $1::bigint;

-- name: ends(organization_id)
select last_n, last_hash, cleared_n, cleared_hash from audit_chain
where organization_id = $1::bigint;

-- name: heads(organization_ids)
select organization_id, last_n from audit_chain
where organization_id = any($1::bigint[]);

-- name: lock(organization_id)
select last_n, last_hash, cleared_n, cleared_hash from audit_chain
where organization_id = $1::bigint
for no key update;

-- name: page(organization_id, after_n, limit)
select n, at, actor, action, target, address, details, previous_hash, hash from audit_entry
where organization_id = $1::bigint and n > $2::bigint
order by n
limit $3::integer;
