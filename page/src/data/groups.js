// Groups of collections in the navigation and on the start page, in the order in which people need them.

import { groupWords } from "./words.js";

/** Returns the groups with the collections that the key may read. */
export function groupsOf(model) {
  const named = (names) =>
    names.map((name) => model.collections.get(name)).filter((collection) => collection?.isReadable);
  return groupWords()
    .map(([title, names]) => ({ title, collections: named(names) }))
    .filter(({ collections }) => collections.length);
}
