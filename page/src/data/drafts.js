// Drafts: input that is not saved, kept in the tab until it is saved or discarded, so that it survives a
// reload.

import { parseJson, scope, toJson } from "./api.js";

const PREFIX = "selvedge.draft.";
const itemOf = (path) => `${PREFIX}${scope.organization}.${path}`;

/**
 * Returns the draft of what is written to a path, or null: its `tag` and `values`, which it began with, and
 * its `input`.
 */
export function draftOf(path) {
  const text = sessionStorage.getItem(itemOf(path));
  return text && parseJson(text);
}

export function storeDraft(path, draft) {
  try {
    sessionStorage.setItem(itemOf(path), toJson(draft));
  } catch {
    // The storage of the tab is full: the input stays in the page alone.
  }
}

export const forgetDraft = (path) => sessionStorage.removeItem(itemOf(path));

/** Forgets all drafts: those of a key that is forgotten. */
export function forgetDrafts() {
  for (const name of Object.keys(sessionStorage))
    if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
}
