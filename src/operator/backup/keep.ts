import { DAY_MS } from '../../common/clock.ts';
import { OperatorError } from '../../common/errors.ts';

/** Returns what backups of the same period have in common, by its number or name. All times are UTC. */
const PERIODS = {
  daily: (at: number) => Math.floor(at / DAY_MS),
  // Weeks begin on Monday; the epoch began on a Thursday.
  weekly: (at: number) => Math.floor((at / DAY_MS + 3) / 7),
  monthly: (at: number) => new Date(at).toISOString().slice(0, 7),
};

type Period = keyof typeof PERIODS;

/** The numbers of days, weeks and months of which one backup each is kept. */
export type Keep = Partial<Record<Period, number>>;

const MOST = 10_000;

/** Parses a text such as `daily=7,weekly=5,monthly=12`. Throws OperatorError. */
export function parseKeep(text: string): Keep {
  const keep: Keep = {};
  for (const part of text.split(',')) {
    const [, period = '', number] = /^ *([a-z]+)=(\d{1,5}) *$/.exec(part) ?? [];
    if (!(period in PERIODS) || period in keep || Number(number) > MOST) throw notKeep();
    keep[period as Period] = Number(number);
  }
  // Everything would be removed.
  if (Object.values(keep).every((number) => number === 0)) throw notKeep();
  return keep;
}

function notKeep(): OperatorError {
  return new OperatorError(
    'must say how many daily, weekly and monthly backups are kept, such as daily=7,weekly=5,monthly=12',
  );
}

/**
 * Of backups in descending order of time, returns those to keep: the newest one, and the newest of each of the last days,
 * weeks and months in which there was a backup.
 */
export function toKeep<T extends { at: number }>(backups: readonly T[], keep: Keep): Set<T> {
  const kept = new Set(backups.slice(0, 1));
  for (const [period, number] of Object.entries(keep)) {
    const newest = new Map<number | string, T>();
    for (const backup of backups) {
      const name = PERIODS[period as Period](backup.at);
      if (!newest.has(name)) newest.set(name, backup);
    }
    for (const backup of [...newest.values()].slice(0, number)) kept.add(backup);
  }
  return kept;
}
