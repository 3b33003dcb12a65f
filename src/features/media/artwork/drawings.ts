import type { SeededRandom } from '../../../common/seeded-random.ts';

/** Fills the whole canvas. Equal random numbers give equal pictures. */
export type Drawing = (canvas: Canvas, random: SeededRandom) => void;

/** Their order is a part of the version of the generator. */
export const DRAWINGS: readonly Drawing[] = [hills, rings, contours, equalizer, tiles, sunset];

/** Ranges of hills under a sky. Each range is lighter or darker than the one behind it. */
function hills(canvas: Canvas, random: SeededRandom): void {
  const { size } = canvas;
  const ranges = random.integer(4, 6);
  sky(canvas, 235, 170);
  disc(canvas, {
    x: random.between(0.25, 0.75) * size,
    y: random.between(0.18, 0.36) * size,
    radius: random.between(0.08, 0.15) * size,
    shade: 255,
  });
  for (let range = 0; range < ranges; range++) {
    const depth = range / (ranges - 1);
    const height = waves(size, random, {
      amplitude: size * random.between(0.03, 0.08),
      periods: random.between(0.7, 1.4 + depth),
    });
    const base = size * (0.45 + 0.42 * depth);
    const shade = Math.round(150 - 140 * depth);
    fillBelow(canvas, (x) => base + height[x]!, shade);
  }
}

/** Rings around one center, as on a record or in water. */
function rings(canvas: Canvas, random: SeededRandom): void {
  const { size, pixels } = canvas;
  const centerX = size * random.between(0.1, 0.9);
  const centerY = size * random.between(0.1, 0.9);
  const shades = bandShades(random, 24);
  const width = size * random.between(0.055, 0.085);
  const byDistance = bandTable(shades, width, size * 1.5);
  for (let y = 0; y < size; y++) {
    const dy2 = (y - centerY) ** 2;
    for (let x = 0; x < size; x++) {
      const dx = x - centerX;
      pixels[y * size + x] = byDistance[(Math.sqrt(dx * dx + dy2) * TABLE_STEPS) | 0]!;
    }
  }
}

/** Lines of equal height on a map that does not exist. */
function contours(canvas: Canvas, random: SeededRandom): void {
  const { size, pixels } = canvas;
  const field = new Float32Array(size * size);
  for (let wave = 0; wave < 4; wave++) {
    const angle = random.between(0, Math.PI);
    const frequency = ((2 * Math.PI) / size) * random.between(0.5, 1.7);
    const phase = random.between(0, 2 * Math.PI);
    const across = sinesAndCosines(size, frequency * Math.cos(angle), phase);
    const down = sinesAndCosines(size, frequency * Math.sin(angle), 0);
    for (let y = 0; y < size; y++) {
      const sinY = down.sines[y]!;
      const cosY = down.cosines[y]!;
      for (let x = 0; x < size; x++) {
        field[y * size + x]! += across.sines[x]! * cosY + across.cosines[x]! * sinY;
      }
    }
  }
  const bands = random.integer(9, 13);
  const ramp = Array.from({ length: bands }, (_, i) => Math.round(12 + (236 * i) / (bands - 1)));
  const width = size / bands;
  const table = bandTable(ramp, width, size + 1);
  for (let i = 0; i < field.length; i++) {
    const height = ((field[i]! + 3.2) / 6.4) * size;
    pixels[i] = table[(Math.min(size - 1, Math.max(0, height)) * TABLE_STEPS) | 0]!;
  }
}

/** Rounded bars of different heights, mirrored at the middle, like a level meter. */
function equalizer(canvas: Canvas, random: SeededRandom): void {
  const { size } = canvas;
  const bars = random.integer(7, 13);
  const pitch = (size * 0.84) / bars;
  const radius = pitch * random.between(0.27, 0.38);
  const envelope = random.between(0.8, 2.2);
  sky(canvas, 18, 60);
  for (let bar = 0; bar < bars; bar++) {
    const x = size * 0.08 + pitch * (bar + 0.5);
    const place = Math.sin((Math.PI * (bar + 0.5)) / bars) ** envelope;
    const half = size * (0.04 + 0.34 * place * random.between(0.45, 1));
    capsule(
      canvas,
      { x, top: size / 2 - half, bottom: size / 2 + half, radius },
      130 + 120 * place,
    );
  }
}

function tiles(canvas: Canvas, random: SeededRandom): void {
  const { size, pixels } = canvas;
  const across = random.pick([3, 4, 4, 5]);
  const shades = bandShades(random, 6);
  for (let row = 0; row < across; row++) {
    for (let column = 0; column < across; column++) {
      const left = Math.round((column * size) / across);
      const right = Math.round(((column + 1) * size) / across);
      const top = Math.round((row * size) / across);
      const bottom = Math.round(((row + 1) * size) / across);
      const ground = random.pick(shades);
      const figure = random.pick(shades.filter((shade) => Math.abs(shade - ground) > 30));
      const core = random.pick(shades.filter((shade) => Math.abs(shade - figure) > 30));
      const cornerX = random.next() < 0.5 ? left - 0.5 : right - 0.5;
      const cornerY = random.next() < 0.5 ? top - 0.5 : bottom - 0.5;
      const radius = right - left;
      for (let y = top; y < bottom; y++) {
        for (let x = left; x < right; x++) {
          const distance = Math.sqrt((x - cornerX) ** 2 + (y - cornerY) ** 2);
          const outer = blend(figure, ground, distance - radius * 0.96);
          pixels[y * size + x] = blend(core, outer, distance - radius * 0.48);
        }
      }
    }
  }
}

/** A low sun cut by bars of haze, over its own reflection. */
function sunset(canvas: Canvas, random: SeededRandom): void {
  const { size, pixels } = canvas;
  const x = size * random.between(0.32, 0.68);
  const y = size * random.between(0.42, 0.54);
  const radius = size * random.between(0.26, 0.34);
  const bars = random.integer(5, 8);
  sky(canvas, 20, 120);
  disc(canvas, { x, y, radius, shade: 245 });
  for (let bar = 0; bar < bars; bar++) {
    const center = y + radius * (-0.1 + (1.15 * bar) / bars);
    const half = size * (0.004 + 0.017 * (bar / bars));
    for (let row = Math.floor(center - half); row <= center + half; row++) {
      const shade = Math.round(20 + (100 * row) / size);
      pixels.fill(shade, row * size, (row + 1) * size);
    }
  }
  const swell = waves(size, random, { amplitude: size * 0.012, periods: random.between(1, 3) });
  for (let band = 0; band < 4; band++) {
    const base = y + radius * 1.08 + band * size * 0.055;
    fillBelow(canvas, (column) => base + swell[(column + band * 61) % size]!, 64 - band * 16);
  }
}

/** Shades from 0 (dark) to 255 (light), row by row. */
interface Canvas {
  size: number;
  pixels: Uint8Array;
}

/** The number of entries of a band table per pixel of distance. */
const TABLE_STEPS = 4;

/** A table of shades by distance, in quarters of a pixel: bands of one width with smooth edges. */
function bandTable(shades: readonly number[], width: number, reach: number): Uint8Array {
  return Uint8Array.from({ length: Math.ceil(reach * TABLE_STEPS) + 1 }, (_, i) => {
    const distance = i / TABLE_STEPS;
    const band = Math.floor(distance / width);
    const here = shades[band % shades.length]!;
    const next = shades[(band + 1) % shades.length]!;
    return blend(here, next, distance - (band + 1) * width + 0.5);
  });
}

/** Adjacent shades are clearly different. */
function bandShades(random: SeededRandom, count: number): number[] {
  const shades: number[] = [];
  while (shades.length < count) {
    const shade = random.integer(0, 7) * 34 + 8;
    if (shades.length === 0 || Math.abs(shade - shades.at(-1)!) > 40) {
      shades.push(shade);
    }
  }
  return shades;
}

/** A smooth line across the canvas: the sum of three sines of decreasing amplitude. */
function waves(
  size: number,
  random: SeededRandom,
  { amplitude, periods }: { amplitude: number; periods: number },
): Float64Array {
  const phases = [0, 1, 2].map(() => random.between(0, 2 * Math.PI));
  return Float64Array.from({ length: size }, (_, x) => {
    const t = (2 * Math.PI * periods * x) / size;
    return (
      amplitude *
      (Math.sin(t + phases[0]!) +
        0.45 * Math.sin(2.3 * t + phases[1]!) +
        0.2 * Math.sin(4.7 * t + phases[2]!))
    );
  });
}

/** The sine and cosine of `i * step + phase` for each column or row, so that they are not computed for each pixel. */
function sinesAndCosines(size: number, step: number, phase: number) {
  const sines = Float32Array.from({ length: size }, (_, i) => Math.sin(i * step + phase));
  const cosines = Float32Array.from({ length: size }, (_, i) => Math.cos(i * step + phase));
  return { sines, cosines };
}

/** A gradient from the top to the bottom. */
function sky({ size, pixels }: Canvas, top: number, bottom: number): void {
  for (let y = 0; y < size; y++) {
    pixels.fill(Math.round(top + ((bottom - top) * y) / size), y * size, (y + 1) * size);
  }
}

/** A filled circle, which must lie within the canvas. */
function disc(
  { size, pixels }: Canvas,
  { x, y, radius, shade }: { x: number; y: number; radius: number; shade: number },
): void {
  for (let row = Math.floor(y - radius - 1); row <= y + radius + 1; row++) {
    for (let column = Math.floor(x - radius - 1); column <= x + radius + 1; column++) {
      const distance = Math.sqrt((column - x) ** 2 + (row - y) ** 2);
      const at = row * size + column;
      pixels[at] = blend(shade, pixels[at]!, distance - radius);
    }
  }
}

/** An upright bar with round ends, which must lie within the canvas. */
function capsule(
  { size, pixels }: Canvas,
  { x, top, bottom, radius }: { x: number; top: number; bottom: number; radius: number },
  shade: number,
): void {
  for (let row = Math.floor(top - 1); row <= bottom + 1; row++) {
    const beyond = Math.max(top + radius - row, row - (bottom - radius), 0);
    for (let column = Math.floor(x - radius - 1); column <= x + radius + 1; column++) {
      const distance = Math.sqrt((column - x) ** 2 + beyond ** 2);
      const at = row * size + column;
      pixels[at] = blend(shade, pixels[at]!, distance - radius);
    }
  }
}

/** Fills everything under a line that has a height for each column. */
function fillBelow({ size, pixels }: Canvas, line: (x: number) => number, shade: number): void {
  const lines = Float64Array.from({ length: size }, (_, x) => line(x));
  for (let y = Math.max(0, Math.floor(Math.min(...lines)) - 1); y < size; y++) {
    for (let x = 0; x < size; x++) {
      const at = y * size + x;
      pixels[at] = blend(shade, pixels[at]!, lines[x]! - y);
    }
  }
}

/** The shade of a pixel by its distance from an edge: `inside`, `outside`, or a mixture on the edge. */
function blend(inside: number, outside: number, distance: number): number {
  if (distance <= -0.5) return inside;
  return distance >= 0.5 ? outside : inside + (outside - inside) * (distance + 0.5);
}
