import { promisify } from 'node:util';
import { crc32, deflate } from 'node:zlib';
import { seededRandom } from '../../../common/seeded-random.ts';
import { DRAWINGS } from './drawings.ts';

const SIZE = 512;

/**
 * Generates an abstract picture of 512 by 512 pixels, as a PNG of at most 30 KB. The picture depends only on
 * the seed, and never changes within a version of the generator, because its URL is cached forever. Takes
 * about 5 ms, half of it outside of the event loop.
 */
export async function generateArtwork(seed: string): Promise<Buffer> {
  const random = seededRandom(`artwork:${seed}`);
  const hue = random.between(0, 360);
  const turn = random.between(25, 110) * random.pick([-1, 1]);
  const dark = { lightness: random.between(0.16, 0.28), chroma: random.between(0.04, 0.09), hue };
  const light = {
    lightness: random.between(0.88, 0.96),
    chroma: random.between(0.05, 0.11),
    hue: hue + turn,
  };
  const pixels = new Uint8Array(SIZE * SIZE);
  random.pick(DRAWINGS)({ size: SIZE, pixels }, random);
  return encodePng({ size: SIZE, palette: colorRamp(dark, light), pixels });
}

const deflateAsync = promisify(deflate);
const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const INDEXED_COLOR = 3;

/** A square picture of at most 256 colors: one byte per pixel, row by row from the top. */
interface IndexedPicture {
  size: number;
  /** The red, green and blue values of each color. */
  palette: Uint8Array;
  pixels: Uint8Array;
}

/** Encodes a PNG file (W3C PNG, third edition). Compresses outside of the event loop. */
async function encodePng({ size, palette, pixels }: IndexedPicture): Promise<Buffer> {
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

/** One end of a ramp in OKLCH: lightness 0 to 1, chroma 0 to about 0.3, hue in degrees. */
interface Color {
  lightness: number;
  chroma: number;
  hue: number;
}

/** Mixes 256 colors in OKLCH, so that the steps look even. */
function colorRamp(from: Color, to: Color): Uint8Array {
  const palette = new Uint8Array(256 * 3);
  for (let i = 0; i < 256; i++) {
    const t = i / 255;
    // Chroma is greater in the middle, where a screen can show most of it.
    const swell = 1 + 0.35 * Math.sin(Math.PI * t);
    palette.set(
      toRgb({
        lightness: mix(from.lightness, to.lightness, t),
        chroma: mix(from.chroma, to.chroma, t) * swell,
        hue: mix(from.hue, to.hue, t),
      }),
      i * 3,
    );
  }
  return palette;
}

/** OKLCH to sRGB bytes, clipped (B. Ottosson, "A perceptual color space for image processing"). */
function toRgb({ lightness, chroma, hue }: Color): [number, number, number] {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    toByte(4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s),
    toByte(-1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s),
    toByte(-0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s),
  ];
}

function toByte(linear: number): number {
  const clipped = Math.min(1, Math.max(0, linear));
  const gamma = clipped <= 0.0031308 ? 12.92 * clipped : 1.055 * clipped ** (1 / 2.4) - 0.055;
  return Math.round(gamma * 255);
}

function mix(from: number, to: number, t: number): number {
  return from + (to - from) * t;
}
