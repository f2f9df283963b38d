drop index sub_supplier_contact_by_email;

drop index style_allowed_value_by_own_key;

drop index compliance_allowed_value_by_own_key;

drop index size_range_size_by_size_id;

drop index size_range_size_by_name;
