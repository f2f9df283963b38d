alter table sample_request drop constraint sample_request_type_fk;
alter table sample_request drop column status_changed_at;
alter table sample_request drop column comment;
alter table sample_request drop column tracking_number;
alter table sample_request drop column expected_at;
alter table sample_request drop column deadline;
alter table sample_request drop column status;
alter table sample_request drop column sample_type_id;
drop table sample_type;
