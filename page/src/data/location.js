// Address of a view, in the part of the URL behind `#`, so that it can be linked and the browser's "back"
// works.

const EMPTY = {
  name: "",
  id: "",
  action: "",
  part: "",
  entry: "",
  q: "",
  sort: "",
  order: "",
  columns: null,
  filters: [],
  cursor: "",
  ids: [],
};

/** Returns the view of an address such as `#/colors?q=navy` or `#/colors/5201/edit/translations`. */
export function parseHash(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split(/\?(.*)/s);
  const [name = "", id = "", action = "", part = "", entry = ""] = path.split("/").map(decode);
  const parameters = new URLSearchParams(query);
  const value = (parameter) => parameters.get(parameter) ?? "";
  const columns = parameters.has("columns") ? value("columns").split(",").filter(Boolean) : null;
  const filters = parameters.getAll("filter").map(parseFilter);
  const ids = value("ids").split(",").filter(Boolean);
  const view = { name, id, action, part, entry, columns, filters, ids, q: value("q"), sort: value("sort") };
  return { ...EMPTY, ...view, order: value("order"), cursor: value("cursor") };
}

function decode(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parseFilter(text) {
  const [, property = "", operator = "eq", value = ""] = /^([^:]*):?([^:]*):?(.*)$/s.exec(text);
  return { property, operator, value };
}

/** Returns the address of a view. */
export function hashOf(view) {
  const { name, id, action, part, entry, q, sort, order, columns, filters, cursor, ids } = {
    ...EMPTY,
    ...view,
  };
  const path = [name, id, action, part, entry].filter(Boolean).map(encodeURIComponent).join("/");
  const parameters = new URLSearchParams();
  const set = {
    q,
    sort,
    order: sort && order,
    columns: columns && (columns.join(",") || ","),
    cursor,
    ids: ids.join(","),
  };
  for (const [parameter, value] of Object.entries(set)) if (value) parameters.set(parameter, value);
  for (const { property, operator, value } of filters)
    parameters.append("filter", `${property}:${operator}:${value}`);
  const query = parameters.toString();
  return `#/${path}${query ? `?${query}` : ""}`;
}

/** Returns the parameters of the list that a view shows. A cursor carries the others. */
export function listParameters({ q, sort, order, filters, cursor }) {
  if (cursor) return [["cursor", cursor]];
  const parameters = q.trim() ? [["q", q]] : [];
  if (sort) parameters.push(["sort[0].property", sort], ["sort[0].order", order || "asc"]);
  filters.forEach(({ property, operator, value }, index) => {
    parameters.push([`filter[${index}].property`, property], [`filter[${index}].operator`, operator]);
    parameters.push([`filter[${index}].value`, value]);
  });
  return parameters;
}

/** Shows a view, or replaces the present one: typing in a search is one step back, not one for each letter. */
export function go(view, { isSameStep = false } = {}) {
  const hash = hashOf(view);
  if (hash === location.hash) return;
  if (!isSameStep) location.hash = hash;
  else {
    history.replaceState(null, "", hash);
    window.dispatchEvent(new HashChangeEvent("hashchange"));
  }
}
