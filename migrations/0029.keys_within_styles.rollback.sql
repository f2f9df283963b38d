drop index style_relation_by_own_key;

drop index sample_request_by_own_key;
