-- Compliance custom fields (contract, Compliance custom fields), besides custom_fields.sql.

-- name: shown_in_compliance_custom_fields(organization_id, ids)
select id from compliance_custom_field
where organization_id = $1::bigint and parent_custom_field_id = any($2::bigint[]);
