/** One end of a ramp in OKLCH: lightness 0 to 1, chroma 0 to about 0.3, hue in degrees. */
export interface Color {
  lightness: number;
  chroma: number;
  hue: number;
}

/** A palette of 256 colors from dark to light. It is mixed in OKLCH, so that the steps look even. */
export function colorRamp(from: Color, to: Color): Uint8Array {
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
