/** The greatest buffer that is kept. */
const MAX_KEPT_BYTES = 256 * 1024;

/** Bytes of a SpareBuffer. */
export interface TakenBytes {
  bytes: Buffer;
  /** Gives the bytes back. Must be called at most once, when nothing uses them any more. */
  release(): void;
}

/**
 * Gives out buffers, and keeps the largest that was given back for the next user. V8 collects garbage each time that
 * some megabytes of new buffers have been allocated, which costs more than filling them.
 */
export class SpareBuffer {
  #spare: Buffer | undefined;

  /** Returns bytes with any content. They belong to the caller until `release`, or for ever. */
  take(size: number): TakenBytes {
    const whole = this.#takeSpare(size) ?? Buffer.allocUnsafeSlow(size);
    return {
      bytes: whole.length === size ? whole : whole.subarray(0, size),
      release: () => {
        if (whole.length <= MAX_KEPT_BYTES && whole.length > (this.#spare?.length ?? 0)) {
          this.#spare = whole;
        }
      },
    };
  }

  #takeSpare(size: number): Buffer | undefined {
    const spare = this.#spare;
    if (spare === undefined || spare.length < size) return undefined;
    this.#spare = undefined;
    return spare;
  }
}
