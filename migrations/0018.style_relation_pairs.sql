-- A pair of styles is related once: of several relations of one pair the first stays. Writers see to it from now on.
delete from style_relation later
using style_relation first
where first.organization_id = later.organization_id and first.style_id = later.style_id
    and first.related_style_id = later.related_style_id and first.id < later.id;
