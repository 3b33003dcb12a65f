/** The only source of the time. Tests pass a clock that they advance themselves. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  now(): number;
}

/** One day of 24 hours, in milliseconds. */
export const DAY_MS = 24 * 60 * 60 * 1000;

/** The clock of the machine. */
export const systemClock: Clock = { now: () => Date.now() };
