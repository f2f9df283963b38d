"""Export to files and import from them, over HTTP alone (contract, Files).

What travels, in which order, and which fields hold ids follows from the registry and ``schemas/``.
"""
