drop table compliance_category;
