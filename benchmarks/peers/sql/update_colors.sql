update color
set
    name = item.name,
    user_defined_id = item.user_defined_id,
    user_defined_id2 = item.user_defined_id2,
    color_reference = item.color_reference,
    color_note = item.color_note,
    state = item.state
from unnest($2::bigint[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[])
    as item(id, name, user_defined_id, user_defined_id2, color_reference, color_note, state)
where color.organization_id = $1 and color.id = item.id
