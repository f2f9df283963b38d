-- What the tables hold, and the columns whose names do not say it; psql shows it with \d+ and \dt+.
comment on table organization is 'A tenant: owns its records and sees no others.';
comment on column organization.multiple_language is 'Whether colors may be linked to languages.';
comment on column organization.pro is 'Whether the organization has the Pro module, which advanced grading needs.';

comment on table api_key is 'A key that a caller presents; names its organization and its id, and has a secret.';
comment on column api_key.name is 'What the key is for, in the words of whoever issued it.';
comment on column api_key.scope is 'read, or write (which reads too).';
comment on column api_key.secret_sha256 is 'SHA-256 of the secret, which itself is never stored.';
comment on column api_key.expires_at is 'From when on the key is refused; null for never.';
comment on column api_key.revoked_at is 'When an operator withdrew the key; null while it is good.';

comment on table idempotency_key is 'The first answer to a request that carried an Idempotency-Key, kept for 24 hours to be given again.';
comment on column idempotency_key.key is 'As the caller sent it.';
comment on column idempotency_key.request_sha256 is 'Digest of the request, so that a key sent with another one is noticed.';
comment on column idempotency_key.status is 'HTTP status of the answer; null only within the transaction that does the work, as are headers and body.';
comment on column idempotency_key.headers is 'Headers of the answer that are its own, by name.';
comment on column idempotency_key.body is 'Bytes of the answer.';

comment on table language is 'A language; shared by all organizations.';
comment on column language.id is 'Fixed for all installations: callers see it as languageId.';
comment on column language.code is 'ISO 639-1.';

comment on table country is 'A country; shared by all organizations.';
comment on column country.code is 'ISO 3166-1 alpha-2.';
comment on column country.name is 'Short English name in everyday use.';

comment on table color_group is 'A group of colors, such as a season''s palette.';
comment on column color_group.user_defined_id is 'The customer''s own reference.';

comment on table color is 'A color that styles are made in.';
comment on column color.user_defined_id is 'The customer''s own reference.';
comment on column color.user_defined_id2 is 'A second reference of the customer''s own.';
comment on column color.color_reference is 'Code in a color system.';
comment on column color.color_note is 'Free text about the color.';

comment on table color_in_group is 'That a color belongs to a color group.';

comment on table color_language is 'That a color is offered in a language.';
comment on column color_language.color_name is 'The color''s name in that language; null for its own name.';

comment on table brand is 'A brand of the organization.';
comment on column brand.custom_id is 'The customer''s own reference.';

comment on table style_category is 'A kind of style, such as knitwear.';
comment on column style_category.user_defined_id is 'The customer''s own reference.';

comment on table style is 'A product as it is designed, in all its colors and sizes.';
comment on column style.number is 'The style number that people know it by.';

comment on table style_group is 'A group of styles, "group" in the interface; the word alone is reserved in SQL.';
comment on column style_group.user_defined_id is 'The customer''s own reference, for ERP systems.';
comment on column style_group.begin_date is 'When the group was created.';
comment on column style_group.end_date is 'When it was last made inactive or deleted; null while it is active.';

comment on table style_in_group is 'That a style belongs to a group, which then cannot be deleted.';

comment on table style_relation is 'A link from a style to a related one.';
comment on column style_relation.style_id is 'The style that owns the link.';
comment on column style_relation.related_style_id is 'The style that it points to.';

comment on table item_category is 'A kind of item, such as buttons; deleted for good, unless items are in it.';
comment on column item_category.begin_date is 'When the category was created.';
comment on column item_category.end_date is 'When it was last made inactive; null while it is active.';

comment on table item is 'A material or trim that styles are made of.';
comment on column item.number is 'The item number that people know it by.';

comment on table care_instruction is 'How a product is to be washed, dried or ironed; deleted for good.';
comment on column care_instruction.user_defined_id is 'The customer''s own reference.';
comment on column care_instruction.text is 'Shown where there is no translation.';
comment on column care_instruction.position is 'Place in displays: on creation one more than the organization''s highest.';

comment on table care_instruction_translation is 'A care instruction''s text in a language.';

comment on table care_instruction_material is 'A material that labels name beside the care instructions.';
comment on column care_instruction_material.user_defined_id is 'The customer''s own reference; no two live materials of an organization share one.';
comment on column care_instruction_material.text is 'Shown where there is no translation.';
comment on column care_instruction_material.position is 'Place in displays: on creation one more than the organization''s highest.';

comment on table care_instruction_material_translation is 'A care instruction material''s text in a language.';

comment on table compliance_custom_field is 'A field that the organization adds to its compliance records.';
comment on column compliance_custom_field.user_defined_id is 'The customer''s own reference.';
comment on column compliance_custom_field.type is 'What values it takes; never changes.';
comment on column compliance_custom_field.position is 'Place in displays: on creation one more than the organization''s highest.';
comment on column compliance_custom_field.internal_only is 'Whether brand users alone see the field.';
comment on column compliance_custom_field.is_mandatory is 'Whether it has to be filled in before a record is submitted.';
comment on column compliance_custom_field.is_multi_line is 'Whether a text field is shown as a box of several lines.';
comment on column compliance_custom_field.is_sort_by_allowed_value_id is 'Whether allowed values stand in the order of their insertion; else by value.';
comment on column compliance_custom_field.max_char is 'Characters that a text field takes; null for no limit.';
comment on column compliance_custom_field.allowed_decimals is 'Decimal places of a numeric field; 0 for whole numbers, null while none are set.';
comment on column compliance_custom_field.parent_custom_field_id is 'The field whose value decides what can be chosen here.';

comment on table compliance_allowed_value is 'A value to choose from in a compliance custom field.';
comment on column compliance_allowed_value.user_defined_id is 'The customer''s own reference.';
comment on column compliance_allowed_value.is_default_value is 'Whether it is chosen unless another is; true for at most one value of a field.';

comment on table style_custom_field is 'A field that the organization adds to its styles.';
comment on column style_custom_field.user_defined_id is 'The customer''s own reference, for imports, exports and integrations.';
comment on column style_custom_field.type is 'What values it takes; never changes.';
comment on column style_custom_field.position is 'Place in displays: on creation one more than the organization''s highest.';
comment on column style_custom_field.internal_only is 'Whether it is hidden from supplier users.';
comment on column style_custom_field.is_mandatory is 'Whether it has to be filled in before a style is ready for export.';
comment on column style_custom_field.is_supplier_editable is 'Whether supplier users may change its value on a style.';
comment on column style_custom_field.is_multi_line is 'Whether a text field is shown as a box of several lines.';
comment on column style_custom_field.is_sort_by_allowed_value_id is 'Whether allowed values stand by user_defined_id; else by value.';
comment on column style_custom_field.diff_per_color is 'Whether each color of a style has a value of its own.';
comment on column style_custom_field.diff_per_size is 'Whether each size of a style has a value of its own.';
comment on column style_custom_field.use_in_thumbnail_view_group_by is 'Whether the thumbnail view can group styles by this field.';
comment on column style_custom_field.max_char is 'Characters that a text field takes; null for no limit.';
comment on column style_custom_field.allowed_decimals is 'Decimal places of a numeric field; 0 for whole numbers, null while none are set.';
comment on column style_custom_field.numeric_variant_calculation_formula is 'How reports make one number of those per color or size: none, average or sum.';
comment on column style_custom_field.parent_custom_field_id is 'The field whose value decides what can be chosen here; never changes.';

comment on table style_allowed_value is 'A value to choose from in a style custom field.';
comment on column style_allowed_value.user_defined_id is 'The customer''s own reference.';
comment on column style_allowed_value.is_default_value is 'Whether it is chosen unless another is; true for at most one value of a field.';
comment on column style_allowed_value.parent_allowed_value_id is 'The parent field''s value that this one can be chosen under.';

comment on table custom_field_brand is 'A brand whose styles have the style custom field; a field without any is for all brands.';

comment on table custom_field_group is 'A group whose styles have the style custom field; a field without any is for all groups.';

comment on table custom_field_style_category is 'A category whose styles have the style custom field; a field without any is for all categories.';

comment on table size_range is 'A run of sizes that styles are made in.';
comment on column size_range.user_defined_id is 'The customer''s own reference.';
comment on column size_range.is_advanced_grading is 'Whether sizes are graded in groups; shown as false without the Pro module.';
comment on column size_range.is_default is 'Whether it is the organization''s default, of which there is at most one.';
comment on column size_range.default_grading_size_id is 'The size that grading starts from, of this range.';

comment on table size_range_size is 'A size of a size range.';
comment on column size_range_size.size_id is 'The customer''s own reference to the size.';
comment on column size_range_size.related_size_range_size_id is 'The size that this one is graded from.';
comment on column size_range_size.grading_group_id is 'A number that the sizes graded together share; no table has it as its key.';
comment on column size_range_size.is_deactivated is 'Whether the size is no longer used; what was measured of it stays readable.';

comment on table sub_supplier is 'A company that supplies or works for a supplier.';
comment on column sub_supplier.custom_id is 'The customer''s own reference.';
comment on column sub_supplier.relation_type is 'How the company works with the supplier, such as distributor.';
comment on column sub_supplier.country_code is 'ISO 3166-1 alpha-2.';
comment on column sub_supplier.mid is 'Manufacturer identification code, for customs.';
comment on column sub_supplier.avatar_color is 'Background color of the initials; given at creation.';
comment on column sub_supplier.processing_types is 'What the company does, as free text.';
comment on column sub_supplier.latitude is 'Degrees north.';
comment on column sub_supplier.longitude is 'Degrees east.';

comment on table sub_supplier_contact is 'A person to talk to at a sub-supplier.';
comment on column sub_supplier_contact.role is 'What the person does there.';
comment on column sub_supplier_contact.country_code is 'ISO 3166-1 alpha-2.';
comment on column sub_supplier_contact.deleted_with_sub_supplier is 'Whether the contact went when its sub-supplier was deleted, and may come back with it.';

comment on table facility is 'A plant of a sub-supplier.';
comment on column facility.deleted_with_sub_supplier is 'Whether the facility went when its sub-supplier was deleted, and comes back with it.';

comment on table sample_request is 'That samples of a style were asked for: one round.';
comment on column sample_request.unit is 'Unit of every measured value, such as cm.';

comment on table sample_request_size is 'A size that a sample request asks for.';
comment on column sample_request_size.designer_comment is 'The designer''s remark on the fit, plain text.';
comment on column sample_request_size.is_approved is 'Whether the samples of this size are good as they are.';
comment on column sample_request_size.is_designer_visible_only is 'Whether designers alone see what was measured.';

comment on table measurement_line is 'A point of measure of a style''s measurement chart.';
comment on column measurement_line.tolerance is 'How far from the requested measurement is still good.';
comment on column measurement_line.is_deactivated is 'Whether the line is for reading only: answers leave out its id and tolerance.';

comment on table sample_request_measurement is 'What one point of measure came to on the samples of one size.';
comment on column sample_request_measurement.requested_measurement is 'The target, as the chart had it when the sample was requested.';
comment on column sample_request_measurement.company_measurement is 'What the designer measured.';
comment on column sample_request_measurement.supplier_measurement is 'What the supplier measured.';
comment on column sample_request_measurement.new_measurement is 'The value wanted in the next round.';
