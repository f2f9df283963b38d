comment on column installation.counted_at is null;

comment on column installation.ranges_ending is null;

comment on column installation.keys_ending is null;

alter table installation drop column counted_at, drop column ranges_ending, drop column keys_ending;
