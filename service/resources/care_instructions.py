"""Care instructions (contract, Care instructions)."""

from service.resources.care_texts import CareText, related_languages
from service.resources.hard_delete import HardDeleted


class CareInstructions(HardDeleted, CareText):
    """Instructions for washing, drying, ironing and cleaning: hard delete."""

    name = "care-instructions"
    table = "care_instruction"
    related = related_languages(table)
