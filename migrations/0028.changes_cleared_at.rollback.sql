comment on column change_feed.cleared_at is null;

alter table change_feed drop column cleared_at;
