"""Export to files and import from them, over HTTP alone (contract, Export and import).

What travels, in which order, and which fields hold ids follows from ``schemas/``.
"""

from service.transfer.errors import TransferError
from service.transfer.exporting import Export
from service.transfer.importing import Import, Options
from service.transfer.patience import Patience

__all__ = ["Export", "Import", "Options", "Patience", "TransferError"]
