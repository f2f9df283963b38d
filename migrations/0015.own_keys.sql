-- Records are found by the keys that customers' own systems know them by (contract, Own keys), deleted ones too.
create index color_by_own_key on color (organization_id, user_defined_id, id);

create index style_group_by_own_key on style_group (organization_id, user_defined_id, id);

create index size_range_by_own_key on size_range (organization_id, user_defined_id, id);

create index compliance_custom_field_by_own_key on compliance_custom_field (organization_id, user_defined_id, id);

create index style_custom_field_by_own_key on style_custom_field (organization_id, user_defined_id, id);

create index care_instruction_by_own_key on care_instruction (organization_id, user_defined_id, id);

create index care_material_by_own_key on care_instruction_material (organization_id, user_defined_id, id);

create index item_category_by_own_key on item_category (organization_id, name, id);

create index sub_supplier_by_own_key on sub_supplier (organization_id, custom_id, id);

-- Who writes by own keys takes a turn: one at a time in each of an organization's collections.
create table turn (
    organization_id bigint not null,
    purpose text collate "C" not null,
    constraint turn_pk primary key (organization_id, purpose)
);

comment on table turn is 'Rows that writers lock so that one comes after the other.';
comment on column turn.purpose is 'What is done in turn: the collection that is written by own keys.';
