-- Swatches of colors (contract, Swatches).

-- name: filled
(record.hex is not null or record.image_url is not null)

-- name: filled_swatches(organization_id, ids)
select id from color record
where record.organization_id = $1::bigint and record.id = any($2::bigint[])
    and (record.hex is not null or record.image_url is not null);

-- name: set_swatch(organization_id, swatches)
update color as stored
set hex = swatch.hex, image_url = swatch."imageUrl"
from jsonb_to_recordset($2::jsonb) as swatch(id bigint, hex text, "imageUrl" text)
where stored.organization_id = $1::bigint and stored.id = swatch.id
    and row(stored.hex, stored.image_url) is distinct from row(swatch.hex, swatch."imageUrl")
returning stored.id;
