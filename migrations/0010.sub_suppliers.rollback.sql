drop table facility;
drop table sub_supplier_contact;
drop table sub_supplier;
