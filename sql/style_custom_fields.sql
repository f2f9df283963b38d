-- Style custom fields (contract, Style custom fields), besides custom_fields.sql.

-- name: chosen_values(organization_id, value_ids)
-- Return the allowed values among $2 that live styles have.
with used as materialized (
    select distinct choice.custom_field_id as field_id, choice.id, choice.value, style.id as style_id, style.number
    from custom_field_value entry
    cross join lateral ({{* from style_allowed_value by entry.allowed_value_id}}) as choice
    join lateral ({{* from style by entry.style_id}}) as style on style.state <> 'deleted'
    where entry.organization_id = $1::bigint and entry.allowed_value_id = any($2::bigint[])
),
counted as (
    select field_id, id, value || ' (' || count(*) || ')' as value from used group by field_id, id, value
),
first as (
    select field_id, (array_agg(json_build_array(style_id, number)::text order by style_id))[1:10] as first
    from (select distinct field_id, style_id, number from used) as style
    group by field_id
)
select
    counted.field_id as id,
    'Used by styles: ' || string_agg(counted.value, ', ' order by counted.id) as message,
    first.first
from counted
join first on first.field_id = counted.field_id
group by counted.field_id, first.first;

-- name: forget_parent_values(organization_id, value_ids)
-- Clear references to removed values: only deleted fields and values to be removed have them.
update style_allowed_value set parent_allowed_value_id = null
where organization_id = $1::bigint and parent_allowed_value_id = any($2::bigint[])
returning custom_field_id as id;

-- name: in_styles
-- Part of in_use: live styles that have values, those of deleted style colors left out.
union all
select
    used.custom_field_id,
    'styles',
    count(*),
    (array_agg(json_build_array(used.id, used.number)::text order by used.id))[1:10]
from (
    select distinct entry.custom_field_id, style.id, style.number
    from custom_field_value entry
    join lateral ({{* from style by entry.style_id}}) as style on style.state <> 'deleted'
    where entry.organization_id = $1::bigint
        and entry.custom_field_id = any((select $2::text::bigint[])::bigint[]) and {{is_shown}}
) as used
group by used.custom_field_id

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
    cross join lateral ({{* from style_custom_field by v.custom_field_id}}) as f
    where v.organization_id = $1::bigint and v.parent_allowed_value_id = any($2::bigint[])
        and f.state <> 'deleted' and f.id <> all($5::bigint[])
),
needed as materialized (
    select removed.field_id, removed.id, removed.value, child.id as child_id, child.user_defined_id as key
    from removed
    join pointer on pointer.parent_id = removed.id
    join lateral ({{* from style_custom_field by pointer.field_id}}) as child on child.parent_custom_field_id = removed.field_id
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

-- name: turned(organization_id, flags)
-- Report fields of which, or of whose descendants, live styles have values that differ as the changed flags do not say.
with recursive flag as materialized (
    select * from jsonb_to_recordset($2::jsonb) as sent(n integer, id bigint, name text, differs boolean)
),
descendant(n, name, differs, id) as (
    select n, name, differs, id from flag
    union all
    select descendant.n, descendant.name, descendant.differs, child.id
    from descendant
    join style_custom_field child
        on child.organization_id = $1::bigint and child.parent_custom_field_id = descendant.id
)
select
    flag.n as item,
    'conflict.in_use' as type,
    '["' || flag.name || '"]' as path,
    'Styles have values of the custom field: remove these first.' as message
from flag
where exists (
    select 1
    from custom_field_value entry
    join lateral ({{* from style by entry.style_id}}) as style on style.state <> 'deleted'
    where entry.organization_id = $1::bigint
        and entry.custom_field_id = any(array(
            select descendant.id from descendant where descendant.n = flag.n and descendant.name = flag.name
        ))
        and flag.differs <> case flag.name
            when 'diffPerColor' then entry.style_color_id is not null else entry.size_range_size_id is not null end
)
order by flag.n;

-- name: unknown_parent_values(organization_id, field_ids, parent_ids, parent_value_ids)
-- The parent of new fields is $3; that of others is the stored one.
select sent.n
from unnest($2::bigint[], $3::bigint[], $4::bigint[])
    with ordinality as sent(field_id, parent_field_id, parent_id, n)
left join lateral ({{* from style_custom_field by sent.field_id}}) as stored on true
where not exists (
    select 1 from style_allowed_value v
    where v.organization_id = $1::bigint and v.id = sent.parent_id
        and v.custom_field_id = case when stored.id is null
            then sent.parent_field_id else stored.parent_custom_field_id
        end
);
