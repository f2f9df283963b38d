"""Reference order: collections after those that they refer to."""

from collections.abc import Iterable, Iterator
from graphlib import TopologicalSorter

from service import schemas
from service.records.keyed_values import keyed_fields
from service.records.reference_targets import referred
from service.records.writable_resource import WritableResource
from service.writing.part_collections import PartCollection


def reference_order(resources: Iterable[WritableResource]) -> list[WritableResource]:
    """Return the resources in an order in which each comes after those that it refers to.

    References of a collection to itself do not count. Raise CycleError for others in a circle.
    """
    by_name = {resource.collection: resource for resource in resources}
    # References to entries of a list name it by the part's path.
    parts = {
        resource.part_path: name
        for name, resource in by_name.items()
        if isinstance(resource, PartCollection) and resource.part_path
    }
    graph = {
        name: [
            other
            for target in _referred(resource)
            if (other := parts.get(target, target)) != name and other in by_name
        ]
        for name, resource in by_name.items()
    }
    return [by_name[name] for name in TopologicalSorter(graph).static_order()]


def _referred(resource: WritableResource) -> Iterator[str]:
    """Yield what a resource refers to, as ``x-refers-to`` names it; names may repeat."""
    keyed = [field.target.name for field in keyed_fields(resource.name, resource.list_name)]
    yield from (*keyed, *referred(schemas.load()[resource.name]["$defs"]))
