"""What stops an export or import."""


class TransferError(Exception):
    """It cannot be done, or not all of it; the message is one line fit for the operator."""
