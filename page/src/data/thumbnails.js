// Small pictures beside records in lists: of styles their picture or a drawing in their first color, of
// colors their swatch.

import { readAll } from "./api.js";
import { drawing, el, swatch } from "./dom.js";
import { permitsPictures, pictureOr } from "./pictures.js";
import { swatchesOf } from "./swatches.js";

/**
 * Drawings by words of the category's or the style's name; the last is of all others.
 * @type {[RegExp, string[][]][]}
 */
const CLOTHES = [
  [
    /trouser|pant|jean|legging|shorts|tight|bottom/i,
    [
      ["M15 6h18l3 36h-9l-3-22-3 22h-9z", "cloth"],
      ["M15 10h18M24 10v8", "seam"],
    ],
  ],
  [
    /dress|skirt|skort|gown/i,
    [
      ["M18 5l3 3h6l3-3 2 12 7 25q-15 3-30 0l7-25z", "cloth"],
      ["M17 18q7 3 14 0M20 24l-4 17M28 24l4 17", "seam"],
    ],
  ],
  [
    /shoe|boot|sneaker|footwear|sandal/i,
    [
      ["M6 18q6 4 12-2l8 9 14 4q4 2 3 8H6z", "cloth"],
      ["M6 33h37M20 19l-4 3M23 22l-4 3", "seam"],
    ],
  ],
  [
    /hat|cap|beanie/i,
    [
      ["M8 30q0-18 16-18t16 18z", "cloth"],
      ["M6 30h36v6H6zM24 12V7", "seam"],
    ],
  ],
  [
    /bag|pack|tote/i,
    [
      ["M10 16h28l3 26H7z", "cloth"],
      ["M17 22v-8q0-7 7-7t7 7v8", "seam"],
    ],
  ],
  [
    /glove|mitten/i,
    [
      [
        "M14 23l-1-10q0-3 2-3t2 3l1 6V8q0-3 2.5-3T23 8V7q0-3 2.5-3T28 7v2q1-3 3-2t2 3l-1 12 4-3q3-1 3 2l-6 9v14H15z",
        "cloth",
      ],
      ["M15 35h18M18 19v4M23 8v14M28 9l-1 13", "seam"],
    ],
  ],
  [
    /gaiter|scarf|snood/i,
    [
      ["M13 11q11-6 22 0l3 28q-14 6-28 0z", "cloth"],
      ["M13 11q11 6 22 0M12 21q12 6 24 0M11 31q13 6 26 0", "seam"],
    ],
  ],
  [
    /sock/i,
    [
      ["M17 5h13v20l8 9q4 8-5 8-5 0-16-13z", "cloth"],
      ["M17 10h13M28 26l-8 5", "seam"],
    ],
  ],
  [
    /jacket|parka|coat|anorak|fleece|vest|shell|blazer|cardigan|hood/i,
    [
      ["M17 6h14l8 5 5 25-6 2-4-14v18H14V24l-4 14-6-2 5-25z", "cloth"],
      ["M24 8v34M17 6l7 8 7-8M15 30h6M27 30h6", "seam"],
    ],
  ],
  [
    /sweat|sweater|knit|pullover|jumper|long.?sleeve|base layer|flannel|blouse/i,
    [
      ["M17 6q7 4 14 0l9 6 4 24-6 2-4-13v17H14V25l-4 13-6-2 4-24z", "cloth"],
      ["M17 6q7 8 14 0M14 38h20M5 32l6 2M43 32l-6 2", "seam"],
    ],
  ],
  [
    /./,
    [
      ["M17 6q7 6 14 0l13 7-5 10-6-3v22H15V20l-6 3L4 13z", "cloth"],
      ["M17 6q7 10 14 0M15 38h18", "seam"],
    ],
  ],
];

/** Returns the paths that draw clothes by their name. */
export const clothes = (name) => CLOTHES.find(([words]) => words.test(name || "-"))[1];

const LAST = Number.MAX_SAFE_INTEGER;
const FILLS = { styles: fillStyles, colors: fillColors };

/**
 * Returns a small picture for each record by its id, none for collections without; fills them when they are
 * read.
 */
export function thumbnails(model, collection, records) {
  const fill = FILLS[collection.name];
  if (!fill || !records.length) return new Map();
  const boxes = new Map(
    records.map(({ id, name }) => [
      String(id),
      el(
        "span",
        { class: "thumb", "aria-hidden": "true" },
        fill === fillStyles && drawing("", clothes(name)),
      ),
    ]),
  );
  fill(boxes, (name) => model.collections.get(name)?.isReadable).catch((error) => {
    // Without pictures a list is one, too.
    if (!error.rows && error.name !== "AbortError") throw error;
  });
  return boxes;
}

const by = (name, ids) => [...ids].map((id) => [name, id]);

async function fillColors(boxes) {
  const hexes = await swatchesOf([...boxes.keys()].map((id) => ({ id })));
  for (const [{ id }, hex] of hexes) boxes.get(id).replaceChildren(swatch(hex));
}

async function fillStyles(boxes, isReadable) {
  await Promise.all([
    isReadable("style-colors") && isReadable("colors") && dye(boxes),
    permitsPictures && isReadable("style-files") && showPictures(boxes),
  ]);
}

async function dye(boxes) {
  const colors = (await readAll("api/style-colors", by("styleId", boxes.keys()))).sort(
    (a, b) => (b.sortOrder ?? LAST) - (a.sortOrder ?? LAST),
  );
  // The first color is the last that dyes.
  for (const [{ styleId }, hex] of await swatchesOf(colors))
    if (hex)
      for (const cloth of boxes.get(String(styleId)).querySelectorAll(".cloth")) cloth.style.fill = hex;
}

async function showPictures(boxes) {
  const files = await readAll("api/style-files", [
    ["category", "image"],
    ["isMain", "true"],
    ...by("styleId", boxes.keys()),
  ]);
  for (const { styleId, url } of files) {
    const box = boxes.get(String(styleId));
    box.replaceChildren(pictureOr(box.firstChild, url, ""));
  }
}
