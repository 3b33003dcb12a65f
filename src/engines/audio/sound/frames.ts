import FFT from 'fft.js';

/** Cuts audio into overlapping frames, and gives the power spectrum of each. */
export class Frames {
  readonly size: number;
  readonly #hop: number;
  readonly #onSpectrum: (power: Float64Array) => void;
  readonly #fft: FFT;
  readonly #window: Float64Array;
  readonly #frame: Float64Array;
  readonly #spectrum: Float64Array;
  readonly #power: Float64Array;
  readonly #buffer: Float64Array;
  #filled = 0;

  /**
   * @param size samples of a frame, a power of 2
   * @param hop samples from the beginning of a frame to the next one, at most `size`
   * @param onSpectrum gets `size / 2` powers, from 0 Hz on, which the next frame overwrites: a sine at full scale has 1
   */
  constructor(size: number, hop: number, onSpectrum: (power: Float64Array) => void) {
    this.size = size;
    this.#hop = hop;
    this.#onSpectrum = onSpectrum;
    this.#fft = new FFT(size);
    // Hann, whose sum makes the amplitude of a sine 1.
    this.#window = Float64Array.from(
      { length: size },
      (_, i) => (2 / size) * (1 - Math.cos((2 * Math.PI * i) / size)),
    );
    this.#frame = new Float64Array(size);
    this.#spectrum = new Float64Array(2 * size);
    this.#power = new Float64Array(size / 2);
    this.#buffer = new Float64Array(size);
  }

  add(samples: Float64Array): void {
    for (let at = 0; at < samples.length; ) {
      const count = Math.min(this.size - this.#filled, samples.length - at);
      this.#buffer.set(samples.subarray(at, at + count), this.#filled);
      this.#filled += count;
      at += count;
      if (this.#filled < this.size) return;
      this.#emit();
      this.#buffer.copyWithin(0, this.#hop);
      this.#filled = this.size - this.#hop;
    }
  }

  #emit(): void {
    for (let i = 0; i < this.size; i++) this.#frame[i] = this.#buffer[i]! * this.#window[i]!;
    this.#fft.realTransform(this.#spectrum, this.#frame);
    for (let i = 0; i < this.#power.length; i++) {
      const re = this.#spectrum[2 * i]!;
      const im = this.#spectrum[2 * i + 1]!;
      this.#power[i] = re * re + im * im;
    }
    this.#onSpectrum(this.#power);
  }
}
