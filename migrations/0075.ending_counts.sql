-- How many keys and ranges end soon: one process of all counts them, as on a cluster that asks every node.
alter table installation
    add column keys_ending bigint,
    add column ranges_ending bigint,
    add column counted_at timestamptz;

comment on column installation.keys_ending is 'Number of API keys in use that end within 30 days, at counted_at.';

comment on column installation.ranges_ending is 'Number of GTIN ranges in use with few numbers left, likewise.';

comment on column installation.counted_at is 'When a process last began to count; null before the first time.';
