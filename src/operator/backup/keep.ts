import type { Keep } from '../../app/config/backup-schedule.ts';
import { DAY_MS } from '../../common/clock.ts';

/** Returns what backups of the same period have in common, by its number or name. All times are UTC. */
const PERIODS: Record<keyof Keep, (at: number) => number | string> = {
  daily: (at) => Math.floor(at / DAY_MS),
  // Weeks begin on Monday; the epoch began on a Thursday.
  weekly: (at) => Math.floor((at / DAY_MS + 3) / 7),
  monthly: (at) => new Date(at).toISOString().slice(0, 7),
};

/**
 * Of backups in descending order of time, returns those to keep: the newest one, and the newest of each of the last days,
 * weeks and months in which there was a backup.
 */
export function toKeep<T extends { at: number }>(backups: readonly T[], keep: Keep): Set<T> {
  const kept = new Set(backups.slice(0, 1));
  for (const [period, number] of Object.entries(keep)) {
    const newest = new Map<number | string, T>();
    for (const backup of backups) {
      const name = PERIODS[period as keyof Keep](backup.at);
      if (!newest.has(name)) newest.set(name, backup);
    }
    for (const backup of [...newest.values()].slice(0, number)) kept.add(backup);
  }
  return kept;
}
