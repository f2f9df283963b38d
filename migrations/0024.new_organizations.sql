-- Extended statistics need values of organization_id, with which PostgreSQL takes an organization that they do not have for
-- an empty one. `selvedge migrate` gives child tables estimates without them (service/database/planner_statistics.py).
drop statistics color_in_group_statistics;

drop statistics color_language_statistics;

drop statistics care_instruction_translation_statistics;

drop statistics care_instruction_material_translation_statistics;

drop statistics compliance_allowed_value_statistics;

drop statistics style_allowed_value_statistics;

drop statistics size_range_size_statistics;

drop statistics sub_supplier_contact_statistics;

drop statistics measurement_line_statistics;
