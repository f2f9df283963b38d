// Addresses of records, of their parts and of the entries of parts.

export const recordPath = (collection, id) => `${collection.path}/${encodeURIComponent(id)}`;

/** Returns the address of a part below a record, whose members name the records further above. */
export function partPath(part, record) {
  return part.path.replace(/\{(\w+)\}/g, (_, name) =>
    encodeURIComponent(name === part.owner ? record.id : record[name]),
  );
}

/** Returns the address of a single entry of a part, such as the measured values of a size. */
export const entryPath = (part, record, id) =>
  partPath({ ...part, path: part.entry.path }, { ...record, [part.entry.id]: id });

/** Returns the name of an entry: that of what its id names. */
export const entryTitle = (part, entry) =>
  entry[part.entry.id.replace(/Id$/, "Name")] ?? String(entry[part.entry.id]);
