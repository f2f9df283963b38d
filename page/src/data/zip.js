// ZIP archives, as workbooks are: entries that are deflated or stored (APPNOTE 6.3.10, 4.3).

const ENTRY = 0x04034b50;
const DIRECTORY_ENTRY = 0x02014b50;
const DIRECTORY_END = 0x06054b50;
const DEFLATED = 8;
const VERSION = 20;
/** Names are UTF-8. */
const UTF8 = 0x0800;
/** 1 January 1980, the first day that there is: archives of the same content are the same. */
const DAY = 0x21;

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

const through = async (bytes, stream) =>
  new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

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
    const fields = [
      [2, VERSION],
      [2, UTF8],
      [2, DEFLATED],
      [2, 0],
      [2, DAY],
      [4, crcOf(bytes)],
      [4, data.length],
      [4, bytes.length],
      [2, path.length],
      [2, 0],
    ];
    parts.push(packed([4, ENTRY], ...fields), path, data);
    directory.push(
      packed([4, DIRECTORY_ENTRY], [2, VERSION], ...fields, [2, 0], [2, 0], [2, 0], [4, 0], [4, offset]),
      path,
    );
    offset += 30 + path.length + data.length;
  }
  const size = directory.reduce((sum, part) => sum + part.byteLength, 0);
  const count = entries.length;
  return new Blob(
    [
      ...parts,
      ...directory,
      packed([4, DIRECTORY_END], [2, 0], [2, 0], [2, count], [2, count], [4, size], [4, offset], [2, 0]),
    ],
    { type },
  );
}
