-- color-translations: SQL statements as they are sent; only line breaks and indents differ.

-- color-translations.id_by_key: Find the record that a path names by its own key, userDefinedId.
--   $1::bigint organization_id
--   $2::text key
-- Live records with an own key: more than one, if it is ambiguous.
select id from color
where organization_id = $1::bigint and user_defined_id = $2::text and state <> 'deleted'
order by id
limit 5;

-- color-translations.read: Read a document.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    with record as (
        select c.id, c.id as color_id, c.state from color c where c.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    )
    select page_order, sort_values, '[' || coalesce(linked.documents, '') || ']' as document
    from page
    left join lateral (
        -- Part of documents and writables.
        select string_agg(
            '{"languageId":' || stored.language_id
            || ',"colorName":' || coalesce(to_json(stored.color_name)::text, 'null') || '}',
            ',' order by stored.language_id
        ) as documents
        from color_language stored
        where stored.organization_id = $1::bigint and stored.color_id = page.id
    ) as linked on true
) as page;

-- color-translations.read_writable: Read a writable form.
--   $1::bigint organization_id
--   $2::bigint id
select
    array_agg(page_order) as ids,
    case when count(*) = 1 or sum(octet_length(document)) <= 33554432
        then array_agg(convert_to(document, 'UTF8'))
    end as documents
from (
    -- Empty without the multiple-language feature, which writes require.
    with record as (
        select c.id, c.id as color_id, c.state from color c where c.organization_id = $1::bigint
    ),
    page as materialized (
        select record.*, record.id as page_order, null::text as sort_values
        from record where record.id = $2::bigint
    ),
    feature as (
        select multiple_language from organization where id = $1::bigint
    )
    select
        page_order,
        sort_values,
        '['
        || case when feature.multiple_language then coalesce(linked.documents, '') else '' end
        || ']' as document
    from page
    cross join feature
    left join lateral (
        -- Part of documents and writables.
        select string_agg(
            '{"languageId":' || stored.language_id
            || ',"colorName":' || coalesce(to_json(stored.color_name)::text, 'null') || '}',
            ',' order by stored.language_id
        ) as documents
        from color_language stored
        where stored.organization_id = $1::bigint and stored.color_id = page.id
    ) as linked on true
) as page;

-- color-translations.lock_by_id: Lock the records of a write, by id, in the order of the ids.
--   $1::bigint organization_id
--   $2::text ids
select id, state as state, user_defined_id as key, null::bigint as within_id from color
where organization_id = $1::bigint and id = any((select $2::text::bigint[])::bigint[])
order by id
for no key update;

-- color-translations.stored: Read the stored translations.
--   $1::bigint organization_id
--   $2::text color_ids
-- A color without translations has a row, too.
select color.id as color_id, color.name, linked.language_id, linked.color_name
from color
left join color_language linked on linked.organization_id = $1::bigint and linked.color_id = color.id
where color.organization_id = $1::bigint and color.id = any((select $2::text::bigint[])::bigint[]);

-- color-translations.unknown_references: Lock the color groups; report unknown groups and languages.
--   $1::bigint organization_id
--   $2::bigint[] color_group_ids
--   $3::bigint[] language_ids
-- Lock the groups until the end of the transaction.
with color_groups as materialized (
    select id, state <> 'deleted' as is_live
    from color_group
    where organization_id = $1::bigint and id = any($2::bigint[])
    order by id
    for key share
)
select 'colorGroupIds' as field, wanted.id, g.id is not null as is_deleted
from unnest($2::bigint[]) as wanted(id)
left join color_groups g on g.id = wanted.id
where g.is_live is not true
union all
select 'languageIds', wanted.id, false
from unnest($3::bigint[]) as wanted(id)
where not exists (select 1 from language l where l.id = wanted.id);

-- color-translations.remove: Delete links to languages that the request omits.
--   $1::bigint organization_id
--   $2::jsonb pairs
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Pairs are the ids of a color and a language.
    with gone as materialized (
        select (pair ->> 0)::bigint as color_id, (pair ->> 1)::bigint as language_id
        from jsonb_array_elements($2::jsonb) as sent(pair)
    )
    delete from color_language as stored
    using gone
    where stored.organization_id = $1::bigint
        and stored.color_id = gone.color_id and stored.language_id = gone.language_id
    returning stored.color_id as id, stored.color_id as colors
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- color-translations.save: Insert and update translations.
--   $1::bigint organization_id
--   $2::jsonb entries
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    insert into color_language as stored (organization_id, color_id, language_id, color_name)
    select o.id, sent."colorId", sent."languageId", sent."colorName"
    from organization o
    cross join jsonb_to_recordset($2::jsonb) as sent("colorId" bigint, "languageId" bigint, "colorName" text)
    where o.id = $1::bigint
    on conflict (organization_id, color_id, language_id) do update set color_name = excluded.color_name
    returning stored.color_id as id
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;

-- color-translations.tell_colors: Find the colors that show another name.
--   $1::bigint organization_id
--   $2::bigint[] ids
-- Rows of a statement in the columns of collect_batch, because statements of one round trip return the same columns.
with returned as (
    -- Record changes of the colors whose documents show other names.
    select id as colors from color
    where organization_id = $1::bigint and id = any($2::bigint[])
)
select null::bigint[] as ids, array[convert_to(json_agg(returned)::text, 'UTF8')] as documents from returned;
