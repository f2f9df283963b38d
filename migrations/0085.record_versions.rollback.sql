drop index change_without_versions;

alter table change drop column without_versions;

drop table record_version;
