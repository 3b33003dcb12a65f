import { partitionPoint } from '../sets/partition-point.ts';

/** Receives the tracks at `start` to `end - 1` of a list, which have one tempo. Returns whether to continue. */
export type VisitRun = (start: number, end: number, tempo: number) => boolean;

/** A list of tracks that is ordered by tempo, unknown ones (0) last. */
export class TempoList {
  readonly #tracks: Uint32Array;
  /** The tempo of each track of the segment, in thousandths of a beat per minute. */
  readonly #tempos: Uint32Array;

  constructor(tracks: Uint32Array, tempos: Uint32Array) {
    this.#tracks = tracks;
    this.#tempos = tempos;
  }

  /** Visits all runs of equal tempos. */
  visitAll(visit: VisitRun): void {
    this.#visitUp(0, this.#tracks.length, visit);
  }

  /**
   * Visits the runs in six walks: from a tempo, its half and its double, up and down, to the tempo from which
   * another of the three is nearer. A walk ends when `visit` returns false. Unknown tempos come last.
   */
  visitAround(tempo: number, visit: VisitRun): void {
    const end = this.#tracks.length;
    const known = this.#first(0, end, (one) => one !== 0);
    const endOfHalf = this.#first(0, known, (one) => 3 * one <= 2 * tempo);
    const startOfDouble = this.#first(endOfHalf, known, (one) => 3 * one <= 4 * tempo);
    this.#visitFrom(tempo, endOfHalf, startOfDouble, visit);
    this.#visitFrom(tempo / 2, 0, endOfHalf, visit);
    this.#visitFrom(tempo * 2, startOfDouble, known, visit);
    this.#visitUp(known, end, visit);
  }

  #visitFrom(center: number, low: number, high: number, visit: VisitRun): void {
    if (low === high) return;
    const middle = this.#first(low, high, (one) => one < center);
    this.#visitUp(middle, high, visit);
    for (let end = middle; end > low; ) {
      const tempo = this.#tempoAt(end - 1);
      let step = 1;
      while (end - step > low && this.#tempoAt(end - step - 1) === tempo) step *= 2;
      const least = Math.max(low, end - step);
      const start = this.#first(least, end, (one) => one !== tempo);
      if (!visit(start, end, tempo)) return;
      end = start;
    }
  }

  #visitUp(low: number, high: number, visit: VisitRun): void {
    for (let start = low; start < high; ) {
      const tempo = this.#tempoAt(start);
      let step = 1;
      while (start + step < high && this.#tempoAt(start + step) === tempo) step *= 2;
      const end = this.#first(start, Math.min(high, start + step), (one) => one === tempo);
      if (!visit(start, end, tempo)) return;
      start = end;
    }
  }

  #first(low: number, high: number, isBefore: (tempo: number) => boolean): number {
    return partitionPoint(low, high, (place) => isBefore(this.#tempoAt(place)));
  }

  #tempoAt(place: number): number {
    return this.#tempos[this.#tracks[place]!]!;
  }
}
