import type { SeededRandom } from '../../../common/seeded-random.ts';

/** The canvas of a drawing: shades from 0 (dark) to 255 (light), row by row. */
export interface Canvas {
  size: number;
  pixels: Uint8Array;
}

/** The number of entries of a band table per pixel of distance. */
export const TABLE_STEPS = 4;

/** A table of shades by distance, in quarters of a pixel: bands of one width with smooth edges. */
export function bandTable(shades: readonly number[], width: number, reach: number): Uint8Array {
  return Uint8Array.from({ length: Math.ceil(reach * TABLE_STEPS) + 1 }, (_, i) => {
    const distance = i / TABLE_STEPS;
    const band = Math.floor(distance / width);
    const here = shades[band % shades.length]!;
    const next = shades[(band + 1) % shades.length]!;
    return blend(here, next, distance - (band + 1) * width + 0.5);
  });
}

/** Makes shades of which adjacent ones are clearly different. */
export function bandShades(random: SeededRandom, count: number): number[] {
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
export function waves(
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
export function sinesAndCosines(size: number, step: number, phase: number) {
  const sines = Float32Array.from({ length: size }, (_, i) => Math.sin(i * step + phase));
  const cosines = Float32Array.from({ length: size }, (_, i) => Math.cos(i * step + phase));
  return { sines, cosines };
}

/** Fills the canvas with shades that run from the top to the bottom. */
export function sky({ size, pixels }: Canvas, top: number, bottom: number): void {
  for (let y = 0; y < size; y++) {
    pixels.fill(Math.round(top + ((bottom - top) * y) / size), y * size, (y + 1) * size);
  }
}

/** A filled circle, which must lie within the canvas. */
export function disc(
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
export function capsule(
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
export function fillBelow(
  { size, pixels }: Canvas,
  line: (x: number) => number,
  shade: number,
): void {
  const lines = Float64Array.from({ length: size }, (_, x) => line(x));
  for (let y = Math.max(0, Math.floor(Math.min(...lines)) - 1); y < size; y++) {
    for (let x = 0; x < size; x++) {
      const at = y * size + x;
      pixels[at] = blend(shade, pixels[at]!, lines[x]! - y);
    }
  }
}

/** The shade of a pixel by its distance from an edge: `inside`, `outside`, or a mixture on the edge. */
export function blend(inside: number, outside: number, distance: number): number {
  if (distance <= -0.5) {
    return inside;
  }
  return distance >= 0.5 ? outside : inside + (outside - inside) * (distance + 0.5);
}
