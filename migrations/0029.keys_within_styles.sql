-- Sample requests and style relations are found by their own keys within a style (contract, Own keys).
create index sample_request_by_own_key on sample_request (organization_id, style_id, name, id);

create index style_relation_by_own_key on style_relation (organization_id, style_id, related_style_id, id);
