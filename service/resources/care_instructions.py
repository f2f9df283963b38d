"""Care instructions (contract, Care instructions)."""

from service.resources.care_texts import CareText
from service.resources.hard_delete import HardDeleted


class CareInstructions(HardDeleted, CareText):
    """How garments are washed, dried, ironed and cleaned: deleted for good."""

    name = "care-instructions"
    table = "care_instruction"
