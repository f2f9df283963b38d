drop table audit_chain;
drop table audit_entry;
