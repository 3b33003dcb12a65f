import { keptIn } from '../../../common/memory/caches.ts';
export interface Waiting {
  /** Does one piece of work, synchronously. `isLate`: whether it waited too long while many others wait. */
  takeTurn(isLate: boolean): void;
}

/**
 * The intended length of a round of the event loop while work waits. After a longer round, the next one gives
 * fewer turns, because much of the cost of a turn, such as writing, arises after it.
 */
const ROUND_MS = 1;
const MAX_TURNS = 64;
/** The maximum time of one lane per round, in milliseconds, while other lanes wait. */
const LANE_MS = 0.25;

/** Work that has waited for longer than this, in milliseconds, is late, if more than CROWD are waiting. */
const LATE_MS = 200;
/** If at most this many wait, no work is late, because the whole process may have paused. */
export const CROWD = 100;

/** The share of the time that anonymous work may use without waiting for a turn. */
const DIRECT_SHARE = 0.5;
/** The number of milliseconds by which anonymous work may exceed that share. */
const DIRECT_AHEAD_MS = 2;

/**
 * Divides the time of the event loop among connections. Waiting work belongs to a lane, and the lanes get
 * turns according to the time that they use: a lane of a thousand connections gets no more than a lane of
 * one. Between the turns, the event loop completes a round, which serves everything that does not wait for a
 * turn.
 */
export class Turns {
  /** The lanes in the order of their next turns; in each, the work in the order of arrival, with its time. */
  readonly #lanes = new Map<unknown, Map<Waiting, number>>();
  #waiting = 0;
  #isScheduled = false;
  /** How many turns the next round gives. */
  #turns = 1;
  #ranMs = 0;
  /** The time of anonymous work that did not wait, minus its share of the time that has passed since. */
  #directMs = 0;
  #directCountedMs = 0;

  /** Whether anonymous work may be done now; otherwise it must wait for a turn. */
  mayGoNow(nowMs: number): boolean {
    if (this.#lanes.size > 0) {
      return false;
    }
    const shareMs = (nowMs - this.#directCountedMs) * DIRECT_SHARE;
    this.#directMs = Math.max(0, this.#directMs - shareMs);
    this.#directCountedMs = nowMs;
    return this.#directMs < DIRECT_AHEAD_MS;
  }

  /** Counts the time of anonymous work that did not wait for a turn. */
  charge(ms: number): void {
    this.#directMs += ms;
  }

  /** Puts work into its lane, where it waits for one turn. Lanes are compared as the keys of a Map. */
  lineUp(lane: unknown, waiting: Waiting): void {
    const inLane = keptIn(this.#lanes, lane, () => new Map());
    if (!inLane.has(waiting)) {
      inLane.set(waiting, performance.now());
      this.#waiting++;
    }
    this.#schedule();
  }

  /** Removes work that waits. */
  leave(lane: unknown, waiting: Waiting): void {
    // An empty lane is removed at its next turn.
    if (this.#lanes.get(lane)?.delete(waiting)) {
      this.#waiting--;
    }
  }

  #schedule(): void {
    if (!this.#isScheduled) {
      this.#isScheduled = true;
      setImmediate(() => this.#run());
    }
  }

  #run(): void {
    this.#isScheduled = false;
    const nowMs = performance.now();
    this.#turns =
      nowMs - this.#ranMs > ROUND_MS
        ? Math.ceil(this.#turns / 2)
        : Math.min(this.#turns + 1, MAX_TURNS);
    this.#ranMs = nowMs;
    try {
      this.#giveTurns(nowMs);
    } finally {
      // This also runs after a turn that throws, so that the others do not wait forever.
      if (this.#lanes.size > 0) {
        this.#schedule();
      }
    }
  }

  #giveTurns(startMs: number): void {
    const endMs = startMs + ROUND_MS;
    let nowMs = startMs;
    let turns = this.#turns;
    while (turns > 0 && nowMs < endMs && this.#lanes.size > 0) {
      const [lane, inLane] = this.#lanes.entries().next().value!;
      this.#lanes.delete(lane);
      // Moves the lane to the end of the order, before its work adds more to the lane.
      this.#lanes.set(lane, inLane);
      const laneEndMs = nowMs + LANE_MS;
      for (const [waiting, sinceMs] of inLane) {
        const isLate = nowMs - sinceMs > LATE_MS && this.#waiting > CROWD;
        inLane.delete(waiting);
        this.#waiting--;
        waiting.takeTurn(isLate);
        nowMs = performance.now();
        turns--;
        if (turns === 0 || nowMs >= laneEndMs) {
          break;
        }
      }
      if (inLane.size === 0) {
        this.#lanes.delete(lane);
      }
    }
  }
}
