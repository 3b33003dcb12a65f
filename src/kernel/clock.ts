/** Where the program reads the time. Tests pass one that they turn. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** Milliseconds of a day in UTC. */
export const DAY_MS = 24 * 60 * 60 * 1000;

/** The machine's own clock. */
export const systemClock: Clock = { now: () => Date.now() };
