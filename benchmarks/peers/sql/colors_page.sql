select
    id,
    name,
    user_defined_id as "userDefinedId",
    user_defined_id2 as "userDefinedId2",
    color_reference as "colorReference",
    color_note as "colorNote",
    state
from color
where organization_id = $1 and state <> 'deleted' and id > $2
order by id
limit $3
