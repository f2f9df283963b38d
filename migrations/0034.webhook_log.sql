-- Time of a webhook's last line in the log about a failed delivery: all senders log at most one in a minute.

alter table webhook add column failure_logged_at timestamptz;
