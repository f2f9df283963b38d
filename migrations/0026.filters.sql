-- Indexes for filters by the entries of lists: sizes, allowed values and contacts by the customer's own references.
create index size_range_size_by_name on size_range_size (organization_id, name);

create index size_range_size_by_size_id on size_range_size (organization_id, size_id);

create index compliance_allowed_value_by_own_key on compliance_allowed_value (organization_id, user_defined_id);

create index style_allowed_value_by_own_key on style_allowed_value (organization_id, user_defined_id);

create index sub_supplier_contact_by_email on sub_supplier_contact (organization_id, email);
