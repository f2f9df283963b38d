alter table webhook drop column failure_logged_at;
