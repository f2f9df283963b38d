"""Compliance custom fields (contract, Compliance custom fields)."""

from service.resources.custom_fields import CustomFields, related_fields


class ComplianceCustomFields(CustomFields):
    """Custom fields of an organization's compliance records."""

    name = "compliance-custom-fields"
    table = "compliance_custom_field"
    kind = "compliance"
    parent_is_fixed = False
    related = related_fields("compliance")
