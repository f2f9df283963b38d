-- When a key last let somebody in, to within some minutes: who operates the service sees which keys are still in use.
alter table api_key add column last_used_at timestamptz;

comment on column api_key.last_used_at is 'When it last let somebody in, to within some minutes.';
