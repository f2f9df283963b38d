"""Transfer errors: failures of an export or import that the operator can mend."""


class TransferError(Exception):
    """Export or import that cannot start or continue. The message is one line for the operator."""
