import { MEL_BANDS } from './mel-bands.ts';

/** The frames between two spectra that are compared, so that a slow attack counts, too. */
const LAG = 2;
/** Makes quiet and loud attacks comparable. */
const COMPRESSION = 1_000;

/** Measures how much new sound begins with each spectrum (S. Böck, G. Widmer, Maximum Filter Vibrato Suppression, DAFx 2013). */
export class Onsets {
  readonly #past: Float64Array[] = Array.from({ length: LAG }, () => new Float64Array(MEL_BANDS));
  #next = 0;
  #frames = 0;

  /** Returns the strength of the onset. */
  add(bands: Float64Array): number {
    const before = this.#past[this.#next]!;
    let strength = 0;
    const now = new Float64Array(MEL_BANDS);
    for (let band = 0; band < MEL_BANDS; band++) {
      now[band] = Math.log(1 + COMPRESSION * Math.sqrt(bands[band]!));
      // The neighbors, so that a vibrato is no onset.
      const former = Math.max(before[band - 1] ?? 0, before[band]!, before[band + 1] ?? 0);
      strength += Math.max(0, now[band]! - former);
    }
    this.#past[this.#next] = now;
    this.#next = (this.#next + 1) % LAG;
    this.#frames++;
    // The beginning of the audio is no onset.
    return this.#frames > LAG ? strength / MEL_BANDS : 0;
  }
}
