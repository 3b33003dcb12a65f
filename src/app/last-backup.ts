import { PeriodicTasks } from '../common/work/periodic-tasks.ts';
import type { Metrics } from '../engines/http/metrics/metrics.ts';
import type { Store } from '../features/store.ts';
import type { AppContext } from './open/context.ts';

const LAST_BACKUP = 'last_backup';
const LAST_FAILURE = 'last_backup_failure';

type Settings = Pick<Store, 'settings'>;

export interface LastBackup {
  /** The moment of its database, in milliseconds since the epoch. */
  at: number;
  /** The folder, or `s3://bucket/prefix`. */
  place: string;
}

/** A backup of STAVE_BACKUP_SCHEDULE that failed. */
export interface BackupFailure extends LastBackup {
  reason: string;
}

/** Returns undefined if `stave backup` has never made one. */
export async function lastBackup({ settings }: Settings): Promise<LastBackup | undefined> {
  const text = await settings.get(LAST_BACKUP);
  return text === undefined ? undefined : JSON.parse(text);
}

export function noteBackup({ settings }: Settings, { at, place }: LastBackup): Promise<void> {
  return settings.set(LAST_BACKUP, JSON.stringify({ at, place }));
}

/** Returns undefined if none has failed since the last backup. */
export async function failureSince(
  { settings }: Settings,
  last: LastBackup | undefined,
): Promise<BackupFailure | undefined> {
  const text = await settings.get(LAST_FAILURE);
  const failure: BackupFailure | undefined = text === undefined ? undefined : JSON.parse(text);
  return failure !== undefined && failure.at > (last?.at ?? 0) ? failure : undefined;
}

export function noteFailure({ settings }: Settings, failure: BackupFailure): Promise<void> {
  return settings.set(LAST_FAILURE, JSON.stringify(failure));
}

const READ_MS = 15_000;

/** Reads periodically when the last backup was made, and measures it. */
export function measuredBackups({ store, log }: AppContext, metrics: Metrics) {
  let at: number | undefined;
  metrics.gauge(
    'stave_last_backup_timestamp_seconds',
    'Time of the last backup that `stave backup` made, since the epoch; 0 if it has made none.',
    () => (at === undefined ? [] : at / 1_000),
  );
  return new PeriodicTasks({
    tasks: [
      {
        name: 'reading the time of the last backup',
        run: async () => {
          at = (await lastBackup(store))?.at ?? 0;
        },
      },
    ],
    intervalMs: READ_MS,
    onError: (error, { name }) => log.debug({ err: error }, `${name} failed`),
  });
}
