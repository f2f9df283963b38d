-- Care instruction materials (contract, Care instruction materials): a userDefinedId is unique among live materials.

-- name: check_references(organization_id, items, deleted_ids)
-- Check references by the state after the request. Its deletions are $3; claims are the references of its items.
with item as materialized (
    select
        item.n,
        item.id,
        coalesce(item.user_defined_id, stored.user_defined_id) as reference,
        coalesce(item.state, stored.state, 'active') as state,
        case when stored.state <> 'deleted' then stored.user_defined_id end as held
    from rows from (
        jsonb_to_recordset($2::jsonb) as (id bigint, "userDefinedId" text, state text)
    ) with ordinality as item(id, user_defined_id, state, n)
    left join lateral ({{* from care_instruction_material by item.id}}) as stored on true
),
claim as (
    select n, id, reference, held, count(*) over (partition by reference) as claims
    from item
    where state <> 'deleted' and reference ~ '\S'
)
select
    claim.n::integer as item,
    'conflict.duplicate' as type,
    '["userDefinedId"]' as path,
    'Another material holds ' || claim.reference || '.' as message
from claim
where claim.reference is distinct from claim.held
    and (
        claim.claims > 1
        or (
            select holder.id from care_instruction_material holder
            where holder.organization_id = $1::bigint
                and holder.user_defined_id between claim.reference and claim.reference and holder.state <> 'deleted'
            order by holder.user_defined_id
            limit 1
        ) not in (select item.id from item union all select gone.id from unnest($3::bigint[]) as gone(id))
    )
order by claim.n;

-- name: release_references(organization_id, items)
-- The unique index is checked row by row, so an update would fail to swap references. Release them first.
update care_instruction_material as stored set user_defined_id = null
from jsonb_to_recordset($2::jsonb) as item(id bigint, "userDefinedId" text)
where stored.organization_id = $1::bigint and stored.id = item.id
    and stored.id = any(array(select id from jsonb_to_recordset($2::jsonb) as sent(id bigint)))
    and stored.user_defined_id <> item."userDefinedId"
returning stored.id;
