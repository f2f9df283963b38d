"""The resources of the interface: the registry, one module each, and the families they share."""
