"""Generator of the demo data: two made-up organizations, equal on every machine.

``make demo-files`` writes its rows, and organization 1 as import files, to ``service/extras/demo``.
"""
