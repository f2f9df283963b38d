drop table idempotency_key;
drop table api_key;
drop table organization;
