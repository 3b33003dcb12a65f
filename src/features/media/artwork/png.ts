import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';

const deflateAsync = promisify(deflate);
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const INDEXED_COLOR = 3;

/** A square picture of at most 256 colors: one byte per pixel, row by row from the top. */
export interface IndexedPicture {
  size: number;
  /** The red, green and blue values of each color. */
  palette: Uint8Array;
  pixels: Uint8Array;
}

/** Encodes a picture as a PNG file (W3C PNG, third edition). It is compressed outside of the event loop. */
export async function encodePng({ size, palette, pixels }: IndexedPicture): Promise<Buffer> {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(size, 0);
  header.writeUInt32BE(size, 4);
  header.set([8, INDEXED_COLOR, 0, 0, 0], 8);

  // Each row begins with its filter type. "None" suits indexed color best (§12.7).
  const rows = Buffer.alloc((size + 1) * size);
  for (let y = 0; y < size; y++) {
    rows.set(pixels.subarray(y * size, (y + 1) * size), y * (size + 1) + 1);
  }
  const compressed = await deflateAsync(rows, { level: 6 });
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', palette),
    chunk('IDAT', compressed),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

function chunk(type: string, content: Uint8Array): Buffer {
  const out = Buffer.alloc(content.length + 12);
  out.writeUInt32BE(content.length, 0);
  out.write(type, 4, 'latin1');
  out.set(content, 8);
  out.writeUInt32BE(crc32(out.subarray(4, content.length + 8)), content.length + 8);
  return out;
}
