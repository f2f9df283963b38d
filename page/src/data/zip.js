// ZIP archives, as workbooks are: entries that are deflated or stored (APPNOTE 6.3.10, 4.3).

import { t } from "./words.js";

const ENTRY = 0x04034b50;
const DIRECTORY_ENTRY = 0x02014b50;
const DIRECTORY_END = 0x06054b50;
const END_BYTES = 22;
const LONGEST_COMMENT = 65535;
const [STORED, DEFLATED] = [0, 8];
const VERSION = 20;
/** Names are UTF-8. */
const UTF8 = 0x0800;
/** 1 January 1980, the first day that there is: archives of the same content are the same. */
const DAY = 0x21;
/** Bytes of all entries when they are inflated. */
const MOST_BYTES = 200 * 2 ** 20;

/** What to do with a file that is no workbook. */
export const NO_WORKBOOK = t("This is no whole workbook. In the spreadsheet choose “Save as”, then “XLSX” or “CSV UTF-8”.");

export const DAMAGED = t("The workbook is damaged.");
export const TOO_LARGE = t("The workbook is too large. Save its sheet as CSV UTF-8.");

/** Reason why a file is no archive that can be read. */
export class ZipError extends Error {}

const CRCS = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte;
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? 0xedb88320 ^ (crc >>> 1) : crc >>> 1;
  return crc;
});

function crcOf(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = CRCS[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

/** Returns a view of little-endian numbers, each of 2 or 4 bytes. */
function packed(...fields) {
  const bytes = new DataView(new ArrayBuffer(fields.reduce((sum, [size]) => sum + size, 0)));
  let offset = 0;
  for (const [size, value] of fields) {
    if (size === 2) bytes.setUint16(offset, value, true);
    else bytes.setUint32(offset, value, true);
    offset += size;
  }
  return bytes;
}

/** Returns an archive of pairs of a name and a text. */
export async function zip(entries, type) {
  const [parts, directory] = [[], []];
  let offset = 0;
  for (const [name, text] of entries) {
    const [path, bytes] = [name, text].map((each) => new TextEncoder().encode(each));
    const data = await through(bytes, new CompressionStream("deflate-raw"));
    const fields = [[2, VERSION], [2, UTF8], [2, DEFLATED], [2, 0], [2, DAY], [4, crcOf(bytes)], [4, data.length], [4, bytes.length], [2, path.length], [2, 0]];
    parts.push(packed([4, ENTRY], ...fields), path, data);
    directory.push(packed([4, DIRECTORY_ENTRY], [2, VERSION], ...fields, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]), path);
    offset += 30 + path.length + data.length;
  }
  const size = directory.reduce((sum, part) => sum + part.byteLength, 0);
  const count = entries.length;
  return new Blob([...parts, ...directory, packed([4, DIRECTORY_END], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0])], { type });
}

/** Returns a function that returns the text of an entry by its name, or null. Throws a ZipError. */
export function unzip(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const entries = withinFile(() => directoryOf(view, bytes));
  let total = 0;
  return async (name) => {
    const entry = entries.get(name);
    if (!entry) return null;
    const { offset } = entry;
    const start = withinFile(() => offset + 30 + view.getUint16(offset + 26, true) + view.getUint16(offset + 28, true));
    const data = bytes.subarray(start, start + entry.size);
    total += entry.inflated;
    if (total > MOST_BYTES) throw new ZipError(TOO_LARGE);
    if (entry.method === STORED) return new TextDecoder().decode(data);
    if (entry.method !== DEFLATED) throw new ZipError(t("The workbook is encrypted, or compressed in another way."));
    return new TextDecoder().decode(await inflated(data, entry.inflated));
  };
}

/** Returns what is read at places that a file names. */
function withinFile(read) {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new ZipError(DAMAGED);
  }
}

/** Inflates no more than an entry says that it has. */
async function inflated(data, size) {
  const reader = new Blob([data]).stream().pipeThrough(new DecompressionStream("deflate-raw")).getReader();
  const bytes = new Uint8Array(size);
  let offset = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return bytes.subarray(0, offset);
      bytes.set(value, offset);
      offset += value.length;
    }
  } catch (error) {
    reader.cancel().catch(() => null);
    if (!(error instanceof TypeError || error instanceof RangeError)) throw error;
    throw new ZipError(DAMAGED);
  }
}

function directoryOf(view, bytes) {
  let end = bytes.length - END_BYTES;
  while (end >= 0 && view.getUint32(end, true) !== DIRECTORY_END) {
    end -= 1;
    if (bytes.length - END_BYTES - end > LONGEST_COMMENT) break;
  }
  if (end < 0 || view.getUint32(end, true) !== DIRECTORY_END) throw new ZipError(NO_WORKBOOK);
  const entries = new Map();
  let place = view.getUint32(end + 16, true);
  for (let count = view.getUint16(end + 10, true); count > 0; count -= 1) {
    if (view.getUint32(place, true) !== DIRECTORY_ENTRY) throw new ZipError(DAMAGED);
    const [flags, method] = [view.getUint16(place + 8, true), view.getUint16(place + 10, true)];
    const [size, whole] = [view.getUint32(place + 20, true), view.getUint32(place + 24, true)];
    const length = view.getUint16(place + 28, true);
    const name = new TextDecoder().decode(bytes.subarray(place + 46, place + 46 + length));
    entries.set(name, { method: flags & 1 ? -1 : method, size, inflated: whole, offset: view.getUint32(place + 42, true) });
    place += 46 + length + view.getUint16(place + 30, true) + view.getUint16(place + 32, true);
  }
  return entries;
}
