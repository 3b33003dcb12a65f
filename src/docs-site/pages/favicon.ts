import { encodePng } from '../../features/media/artwork/generate.ts';

const SIZE = 32;
/** The colors of background, lines and note. */
const PALETTE = Uint8Array.of(0x1f, 0x2a, 0x44, 0x8f, 0xa3, 0xcc, 0xff, 0xff, 0xff);
const LINE = 1;
const NOTE = 2;

/** Returns an icon of a note on a stave, as an ICO file with one PNG of 32 × 32 pixels. */
export async function favicon(): Promise<Buffer> {
  const pixels = new Uint8Array(SIZE * SIZE);
  const fill = (color: number, contains: (x: number, y: number) => boolean) => {
    for (let i = 0; i < pixels.length; i++) {
      if (contains(i % SIZE, Math.floor(i / SIZE))) {
        pixels[i] = color;
      }
    }
  };
  fill(LINE, (_, y) => y >= 6 && y <= 26 && (y - 6) % 5 === 0);
  fill(NOTE, (x, y) => (x - 13) ** 2 / 30 + (y - 23.5) ** 2 / 16 <= 1);
  fill(NOTE, (x, y) => x >= 17 && x <= 18 && y >= 5 && y <= 23);
  fill(NOTE, (x, y) => x >= 18 && x <= 24 && y >= 5 + (x - 18) / 2 && y <= 9 + (x - 18) / 2);
  const png = await encodePng({ size: SIZE, palette: PALETTE, pixels });

  const header = Buffer.alloc(22);
  header.writeUInt16LE(1, 2); // an icon
  header.writeUInt16LE(1, 4); // one picture
  header.set([SIZE, SIZE], 6);
  header.writeUInt16LE(1, 10); // color planes
  header.writeUInt16LE(32, 12); // bits per pixel
  header.writeUInt32LE(png.length, 14);
  header.writeUInt32LE(header.length, 18);
  return Buffer.concat([header, png]);
}
