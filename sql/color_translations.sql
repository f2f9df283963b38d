-- Translations of colors' names, which are also their links to languages (contract, Translations).

-- name: tell_colors(organization_id, names)
-- Record changes of the colors whose documents show another name; without a translation they show the color's own.
select distinct color.id as colors
from jsonb_to_recordset($2::jsonb) as sent(id bigint, former text, name text)
cross join lateral ({{* from color by sent.id}}) as color
where coalesce(sent.former, color.name) <> coalesce(sent.name, color.name);

-- name: writable_translations
-- Part of writables: none without the multiple-language feature, which writes require.
select stored.* from color_language stored
where stored.organization_id = $1::bigint and stored.color_id = page.id
    and (select multiple_language from organization where id = $1::bigint)
