"""Custom fields: fields that organizations define, their associations, and values of styles."""
