"""Export to files and import from files, over HTTP alone (tools, Files).

The registry and ``schemas/`` determine the collections, their order and the fields that hold ids.
"""
