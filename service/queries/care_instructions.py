"""Care instructions (specification, Care instructions (bulk))."""

from service.queries.care_texts import CareText


class CareInstructions(CareText):
    """How garments are washed, dried, ironed and cleaned: deleted for good."""

    name = "care-instructions"
    table = "care_instruction"
