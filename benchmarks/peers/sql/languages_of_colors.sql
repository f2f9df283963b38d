select
    l.color_id as "colorId",
    d.id as "languageId",
    d.name as "languageName",
    d.code as "languageCode",
    coalesce(l.color_name, c.name) as "colorName"
from color_language l
join language d on d.id = l.language_id
join color c on c.organization_id = l.organization_id and c.id = l.color_id
where l.organization_id = $1 and l.color_id = any($2::bigint[])
order by d.id
