"""Compliance custom fields (specification, Compliance custom field)."""

from service.resources.custom_fields import CustomFields


class ComplianceCustomFields(CustomFields):
    """Fields that an organization adds to its compliance records."""

    name = "compliance-custom-fields"
    table = "compliance_custom_field"
    kind = "compliance"
    parent_is_fixed = False
