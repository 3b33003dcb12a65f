/**
 * The greatest height that is given to an element, in pixels. Firefox ignores heights above 17.8 million, Chromium
 * stops at 33.5 million.
 */
export const MAX_PIXELS = 8_000_000;

/** At both ends of a longer list, a pixel of the scroll bar stands for a pixel of the list. */
const EXACT_PIXELS = 1_000_000;

/**
 * The relation between the scroll position of an element and the position in a list that may be higher than the element
 * can be. Up to `MAX_PIXELS` they are equal. Of a longer list, the middle part is compressed. Both functions rise
 * strictly, and are inverse to each other.
 */
export class ScrollMap {
  /** The height of the element. */
  readonly pixels: number;
  readonly #full: number;

  constructor(fullPixels: number) {
    this.#full = fullPixels;
    this.pixels = Math.min(fullPixels, MAX_PIXELS);
  }

  get isCompressed(): boolean {
    return this.pixels < this.#full;
  }

  /** The position in the list at a scroll position. */
  toList(scrollTop: number, viewport: number): number {
    return this.#map(scrollTop, this.pixels - viewport, this.#full - viewport);
  }

  /** The scroll position of a position in the list. */
  toScroll(position: number, viewport: number): number {
    return this.#map(position, this.#full - viewport, this.pixels - viewport);
  }

  #map(value: number, fromEnd: number, toEnd: number): number {
    const at = Math.max(0, Math.min(value, fromEnd));
    if (!this.isCompressed || at <= EXACT_PIXELS) return at;
    const toLast = fromEnd - at;
    if (toLast <= EXACT_PIXELS) return toEnd - toLast;
    const [fromMiddle, toMiddle] = [fromEnd - 2 * EXACT_PIXELS, toEnd - 2 * EXACT_PIXELS];
    return EXACT_PIXELS + ((at - EXACT_PIXELS) * toMiddle) / fromMiddle;
  }
}
