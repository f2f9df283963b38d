-- A list of what has changed since a time is complete only if no change since then was deleted from the feed.
alter table change_feed add column cleared_at timestamptz;

comment on column change_feed.cleared_at is 'Latest start of a transaction whose change was cleared.';
