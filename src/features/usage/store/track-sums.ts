import { TYPE_NUMBERS } from './usage-rows.ts';

const COUNTERS = 2 * Object.keys(TYPE_NUMBERS).length;
/** The row ids that one page of the index covers: 16 KB. */
const PAGE = 4_096;
/** The tracks between two pauses: about a millisecond. */
const STEP = 8_192;
/** The most bytes of a number below 2^53. */
const NUMBER_BYTES = 8;

/** Types are the stored numbers of TYPE_NUMBERS. */
export interface TypeSums {
  events: number;
  seconds: number;
}

/**
 * Sums of the events of tracks, by their row ids. Takes about 60 bytes for each track. The generators
 * yield after each millisecond or so, for the caller to do other work.
 */
export class TrackSums {
  /** The row ids of the tracks, in the order in which they were added. The place of a track is its slot. */
  readonly rowIds: number[] = [];
  #counters = new Float64Array(0);
  /** For each page of row ids, the slot of each, plus 1; 0 if it has none. */
  readonly #slots: (Uint32Array | undefined)[] = [];

  /** Returns the slot of a track; undefined if it has no sums. */
  slotOf(rowId: number): number | undefined {
    const slot = this.#slots[Math.floor(rowId / PAGE)]?.[rowId % PAGE];
    return slot ? slot - 1 : undefined;
  }

  /** Returns the number of events of these types for each slot. */
  events(types: readonly number[]): Float64Array {
    const events = new Float64Array(this.rowIds.length);
    for (let slot = 0; slot < events.length; slot++) {
      for (const type of types) events[slot]! += this.#counters[slot * COUNTERS + 2 * type - 2]!;
    }
    return events;
  }

  of(slot: number, type: number): TypeSums {
    const first = slot * COUNTERS + 2 * type - 2;
    return { events: this.#counters[first]!, seconds: this.#counters[first + 1]! };
  }

  /** Adds the sums of one slot to another, and sets the former to 0. */
  move(from: number, to: number): void {
    for (let n = 0; n < COUNTERS; n++) {
      this.#counters[to * COUNTERS + n]! += this.#counters[from * COUNTERS + n]!;
      this.#counters[from * COUNTERS + n] = 0;
    }
  }

  /** Returns the sums of a type over all tracks. */
  totalsOf(type: number): TypeSums {
    const totals = { events: 0, seconds: 0 };
    for (let n = 2 * type - 2; n < this.rowIds.length * COUNTERS; n += COUNTERS) {
      totals.events += this.#counters[n]!;
      totals.seconds += this.#counters[n + 1]!;
    }
    return totals;
  }

  /** Adds sums from a text of four numbers each: a row id, a type, events and seconds, all divided by spaces. */
  *addText(text: string): Generator<void> {
    let at = 0;
    const next = () => {
      let value = 0;
      for (let code = text.charCodeAt(at); code > 32; code = text.charCodeAt(++at)) {
        value = value * 10 + code - 48;
      }
      at++;
      return value;
    };
    while (at < text.length) {
      this.#reserve(STEP);
      for (let count = 0; count < STEP && at < text.length; count++) {
        const first = this.#slot(next()) * COUNTERS + 2 * next() - 2;
        this.#counters[first]! += next();
        this.#counters[first + 1]! += next();
      }
      yield;
    }
  }

  /** Adds sums in the form of `encode`. */
  *addEncoded(bytes: Uint8Array): Generator<void> {
    const position = { at: 0, rowId: 0 };
    while (position.at < bytes.length) {
      this.#addSome(bytes, position);
      yield;
    }
  }

  /**
   * Returns the sums as bytes. For each track, by row id: the difference to the row id before, then the events and
   * seconds of each type. A number has 7 bits in each byte, the lowest first; all but its last byte are above 127.
   */
  *encode(): Generator<void, Uint8Array> {
    const bytes = new Uint8Array(this.rowIds.length * (COUNTERS + 1) * NUMBER_BYTES);
    let length = 0;
    const put = (number: number) => {
      let rest = number;
      for (; rest > 127; rest = Math.floor(rest / 128)) bytes[length++] = (rest % 128) + 128;
      bytes[length++] = rest;
    };
    let before = 0;
    for (const [count, rowId] of Float64Array.from(this.rowIds).sort().entries()) {
      if (count % STEP === STEP - 1) yield;
      put(rowId - before);
      before = rowId;
      const first = this.slotOf(rowId)! * COUNTERS;
      for (let n = 0; n < COUNTERS; n++) put(this.#counters[first + n]!);
    }
    return bytes.slice(0, length);
  }

  /** Adds sums in the form of `encode` from a position on, and moves it. This loop takes most of the time of a summary. */
  #addSome(bytes: Uint8Array, position: { at: number; rowId: number }): void {
    this.#reserve(STEP);
    const counters = this.#counters;
    let { at, rowId } = position;
    for (let count = 0; count < STEP && at < bytes.length; count++) {
      let slot = -1;
      for (let n = -1; n < COUNTERS; n++) {
        let byte = bytes[at++]!;
        let value = byte & 127;
        for (let scale = 128; byte > 127; scale *= 128) {
          byte = bytes[at++]!;
          value += (byte & 127) * scale;
        }
        if (n < 0) {
          rowId += value;
          slot = this.#slot(rowId);
        } else if (value > 0) counters[slot * COUNTERS + n]! += value;
      }
    }
    position.at = at;
    position.rowId = rowId;
  }

  #reserve(count: number): void {
    const wanted = (this.rowIds.length + count) * COUNTERS;
    if (wanted <= this.#counters.length) return;
    const counters = new Float64Array(Math.max(wanted, 2 * this.#counters.length));
    counters.set(this.#counters);
    this.#counters = counters;
  }

  /** Returns the slot of a track, or adds one, for which there must be room. */
  #slot(rowId: number): number {
    const number = Math.floor(rowId / PAGE);
    let page = this.#slots[number];
    if (page === undefined) {
      page = new Uint32Array(PAGE);
      this.#slots[number] = page;
    }
    const place = rowId % PAGE;
    if (page[place] === 0) page[place] = this.rowIds.push(rowId);
    return page[place]! - 1;
  }
}
