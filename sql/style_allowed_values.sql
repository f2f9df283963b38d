-- Allowed values of style custom fields, which can depend on parent values (contract, Style custom fields).

-- name: forget_parent_values(organization_id, value_ids)
-- Clear references to removed values: only deleted fields and values to be removed have them.
update style_allowed_value set parent_allowed_value_id = null
where organization_id = $1::bigint and parent_allowed_value_id = any($2::bigint[])
returning custom_field_id as id;

-- name: insert_values(organization_id, values)
insert into style_allowed_value as stored (
    organization_id, id, custom_field_id, value, user_defined_id, is_default_value, parent_allowed_value_id
)
select o.id, sent.id, sent.field_id, sent.value, sent.user_defined_id, sent.is_default_value, sent.parent_id
from organization o
cross join ({{sent}}) as sent
where o.id = $1::bigint
returning stored.custom_field_id as id;

-- name: needed_values(organization_id, value_ids, field_ids, parent_value_ids, batch_ids)
-- Return removed values that values of live fields refer to, by the state after the batch, whose fields are $5.
with removed as materialized (
    select custom_field_id as field_id, id, value
    from style_allowed_value
    where organization_id = $1::bigint and id = any($2::bigint[])
),
pointer as (
    select field_id, parent_id from unnest($3::bigint[], $4::bigint[]) as sent(field_id, parent_id)
    union all
    select f.id, v.parent_allowed_value_id
    from style_allowed_value v
    join style_custom_field f on f.organization_id = $1::bigint and f.id = v.custom_field_id
    where v.organization_id = $1::bigint and v.parent_allowed_value_id = any($2::bigint[])
        and f.state <> 'deleted' and f.id <> all($5::bigint[])
),
needed as materialized (
    select removed.field_id, removed.id, removed.value, child.id as child_id, child.user_defined_id as key
    from removed
    join pointer on pointer.parent_id = removed.id
    join style_custom_field child on child.organization_id = $1::bigint and child.id = pointer.field_id
        and child.parent_custom_field_id = removed.field_id
),
used as (
    select field_id, id, value || ' (' || count(*) || ')' as value
    from needed
    group by field_id, id, value
),
child as (
    select field_id, (array_agg(json_build_array(child_id, key)::text order by child_id))[1:10] as first
    from (select distinct field_id, child_id, key from needed) as needing
    group by field_id
)
select
    used.field_id as id,
    'Used by values of other custom fields: ' || string_agg(used.value, ', ' order by used.id) as message,
    child.first
from used
join child on child.field_id = used.field_id
group by used.field_id, child.first;

-- name: sent
-- Allowed values of the request, a JSON array each.
select
    (sent ->> 0)::bigint as field_id,
    (sent ->> 1)::bigint as id,
    sent ->> 2 as value,
    sent ->> 3 as user_defined_id,
    (sent ->> 4)::boolean as is_default_value,
    (sent ->> 5)::bigint as parent_id
from jsonb_array_elements($2::jsonb) as sent(sent);

-- name: stored_values(organization_id, ids)
select
    array_agg(custom_field_id),
    array_agg(id),
    array_agg(value),
    array_agg(user_defined_id),
    array_agg(is_default_value),
    array_agg(parent_allowed_value_id)
from style_allowed_value
where organization_id = $1::bigint and custom_field_id = any((select $2::text::bigint[])::bigint[]);

-- name: unknown_parent_values(organization_id, field_ids, parent_ids, parent_value_ids)
-- The parent of new fields is $3; that of others is the stored one.
select sent.n
from unnest($2::bigint[], $3::bigint[], $4::bigint[])
    with ordinality as sent(field_id, parent_field_id, parent_id, n)
left join style_custom_field stored on stored.organization_id = $1::bigint and stored.id = sent.field_id
where not exists (
    select 1 from style_allowed_value v
    where v.organization_id = $1::bigint and v.id = sent.parent_id
        and v.custom_field_id = case when stored.id is null
            then sent.parent_field_id else stored.parent_custom_field_id
        end
);

-- name: update_values(organization_id, values)
update style_allowed_value as stored
set
    value = sent.value,
    user_defined_id = sent.user_defined_id,
    is_default_value = sent.is_default_value,
    parent_allowed_value_id = sent.parent_id
from ({{sent}}) as sent
where stored.organization_id = $1::bigint and stored.id = sent.id and stored.custom_field_id = sent.field_id
returning stored.custom_field_id as id;
