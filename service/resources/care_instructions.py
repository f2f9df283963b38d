"""Care instructions (contract, Care instructions)."""

from service.resources.care_texts import CareText
from service.resources.hard_delete import DeletedForGood


class CareInstructions(DeletedForGood, CareText):
    """How garments are washed, dried, ironed and cleaned: deleted for good."""

    name = "care-instructions"
    table = "care_instruction"
