-- Custom fields: statements of compliance and style custom fields; {{kind}} is compliance or style.

-- name: check(organization_id, items)
with recursive item as materialized (
    select
        sent.n,
        sent.id,
        sent.type,
        sent.state,
        stored.type as stored_type,
        {{parent_is_fixed}} and sent.parent_id is distinct from stored.parent_custom_field_id
            and sent.parent_id is not null and stored.id is not null as moves,
        case when {{parent_is_fixed}} and stored.id is not null
            then stored.parent_custom_field_id else sent.parent_id
        end as parent_id
    from rows from (
        jsonb_to_recordset($2::jsonb) as (id bigint, type text, state text, "parentCustomFieldId" bigint)
    ) with ordinality as sent(id, type, state, parent_id, n)
    left join lateral (
        select one.* from {{kind}}_custom_field one
        where one.organization_id = $1::bigint and one.id between sent.id and sent.id
        order by one.id
        limit 1
    ) as stored on true
),
-- Ancestors after the batch: several of its items together can close a cycle.
ancestor(descendant_id, id) as (
    select id, parent_id from item where parent_id is not null
    union
    select
        ancestor.descendant_id,
        case when item.id is null then stored.parent_custom_field_id else item.parent_id end
    from ancestor
    left join lateral (
        select one.* from {{kind}}_custom_field one
        where one.organization_id = $1::bigint and one.id between ancestor.id and ancestor.id
        order by one.id
        limit 1
    ) as stored on true
    left join item on item.id = ancestor.id
    where ancestor.id <> ancestor.descendant_id
)
select
    n::integer as item,
    'validation_error.read_only_field' as type,
    '["type"]' as path,
    'The type is ' || stored_type || ' and stays so.' as message
from item
where type <> stored_type
union all
select item.n::integer, failure.type, '["parentCustomFieldId"]', failure.message
from item
left join lateral (
    select one.* from {{kind}}_custom_field one
    where one.organization_id = $1::bigint and one.id between item.parent_id and item.parent_id
    order by one.id
    limit 1
) as parent on (
        parent.state <> 'deleted' or item.state = 'deleted'
        or exists (select 1 from item restored where restored.id = parent.id and restored.state <> 'deleted')
    )
left join item created on created.id = item.parent_id and created.stored_type is null
join (
    values
        ('moves', 'validation_error.read_only_field', 'The parent is set at creation only.'),
        ('unknown', 'validation_error.unknown_reference', 'There is no such custom field, or it is deleted.'),
        ('kind', 'validation_error.invalid_value', 'A parent has to be of an allowed-value type.'),
        ('cycle', 'validation_error.invalid_value', 'Its parents lead back to this custom field.')
) as failure(name, type, message) on failure.name = case
    when item.moves then 'moves'
    when item.parent_id is null then null
    when parent.id is null and created.id is null then 'unknown'
    when coalesce(parent.type, created.type) not in ('allowedValue', 'nestedAllowedValue') then 'kind'
    when exists (select 1 from ancestor a where a.descendant_id = item.id and a.id = item.id) then 'cycle'
end;

-- name: in_use(organization_id, ids, items)
with item as materialized (
    select sent.id, sent.state, sent."userDefinedId" as own_key, sent."parentCustomFieldId" as parent_id
    from jsonb_to_recordset($3::jsonb) as sent(id bigint, state text, "userDefinedId" text, "parentCustomFieldId" bigint)
)
select
    parent_id as id,
    'custom fields' as users,
    count(*) as uses,
    (array_agg(json_build_array(id, user_defined_id)::text order by id))[1:10] as first
from (
    -- A full join is never a nested loop.
    select
        coalesce(stored.id, item.id) as id,
        case when stored.id is null then item.own_key else stored.user_defined_id end as user_defined_id,
        case
            when stored.id is null then item.parent_id
            when item.id is null or {{parent_is_fixed}} then stored.parent_custom_field_id
            else item.parent_id
        end as parent_id
    from (
        select one.* from {{kind}}_custom_field one where one.organization_id = $1::bigint
    ) as stored
    full join item on item.id = stored.id
    where stored.id is null
        or stored.id not in (select gone.id from unnest((select $2::text::bigint[])::bigint[]) as gone(id))
            and coalesce(item.state, stored.state) <> 'deleted'
) as child
where parent_id = any((select $2::text::bigint[])::bigint[])
group by parent_id{{in_styles}};

-- name: record
-- Part of documents.
select
    f.*,
    (
        select parent.name from {{kind}}_custom_field parent
        where parent.organization_id = $1::bigint and parent.id = f.parent_custom_field_id
    ) as parent_custom_field_name
from {{kind}}_custom_field f
where f.organization_id = $1::bigint

-- name: reliances(organization_id, ids, parent_ids)
-- Stored rows of the current parents of fields, and of the parents in the request.
select
    sent.id,
    stored.id is null as is_new,
    stored.parent_custom_field_id as stored_parent_id,
    parent.id as parent_id,
    parent.state = 'deleted' as has_deleted_parent
from unnest($2::bigint[], $3::bigint[]) as sent(id, parent_id)
left join lateral (
    select one.* from {{kind}}_custom_field one
    where one.organization_id = $1::bigint and one.id between sent.id and sent.id
    order by one.id
    limit 1
) as stored on true
left join {{kind}}_custom_field parent on parent.organization_id = $1::bigint
    and parent.id = case when {{parent_is_fixed}} and stored.id is not null
        then stored.parent_custom_field_id else sent.parent_id
    end;
