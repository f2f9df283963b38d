// Groups of collections in the navigation and on the start page, in the order in which people need them.

const GROUPS = [
  ["Products", ["styles", "style-colors", "style-skus", "style-files", "style-relations", "sample-requests", "sample-types", "items", "brands", "seasons", "groups", "style-categories", "item-categories"]],
  ["Colors and sizes", ["colors", "color-groups", "size-ranges"]],
  ["Care", ["care-instructions", "care-instruction-icons", "care-instruction-layers", "care-instruction-materials"]],
  ["Suppliers", ["suppliers", "sub-suppliers", "facilities"]],
  ["Prices and channels", ["price-lists", "channels", "barcodes", "barcode-ranges"]],
];
const REST = "Settings";

/** Returns the groups with their collections; the last has all that are in no other. */
export function groupsOf(model) {
  const named = new Set(GROUPS.flatMap(([, names]) => names));
  const rest = [...model.collections.values()].filter(({ name, isReadable }) => isReadable && !named.has(name));
  const groups = GROUPS.map(([title, names]) => ({ title, collections: names.map((name) => model.collections.get(name)).filter((collection) => collection?.isReadable) }));
  return [...groups, { title: REST, collections: rest }].filter(({ collections }) => collections.length);
}
