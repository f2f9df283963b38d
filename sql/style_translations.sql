-- Translations of styles (contract, Translations of styles).

-- name: writable_translations
-- Part of writables: none without the multiple-language feature, which writes require.
select stored.* from style_translation stored
where stored.organization_id = $1::bigint and stored.style_id = page.id
    and (select multiple_language from organization where id = $1::bigint)
