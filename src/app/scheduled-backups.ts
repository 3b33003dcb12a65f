import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { getPriority, setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { DAY_MS, HOUR_MS } from '../common/clock.ts';
import { withoutSecretText } from '../common/text/shown.ts';
import { BELOW_REQUESTS } from '../common/threads/thread.ts';
import { leasedTasks } from '../engines/tasks/lease.ts';
import type { BackupSchedule } from './config/backup-schedule.ts';
import { lastBackup, noteFailure } from './last-backup.ts';
import type { AppContext } from './open/context.ts';

const PROGRAM = fileURLToPath(new URL('../../bin/main.mjs', import.meta.url));

const LOOK_MS = 15_000;
/** When a node was killed, another one, or the same one after a start, makes the backup after this time. */
const LEASE_MS = 60_000;
const MAX_REASON = 2_000;

/** Returns the last moment at which a backup was due. */
export function lastDue({ minutes }: Pick<BackupSchedule, 'minutes'>, now: number): number {
  const today = now - (now % DAY_MS) + minutes * 60_000;
  return today <= now ? today : today - DAY_MS;
}

/**
 * Makes the backups of STAVE_BACKUP_SCHEDULE, each in a process of its own, because it reads the whole database. One that
 * was missed is made at the next start, and one that fails is tried again after an hour. One of several nodes makes them;
 * when it is killed, another one does.
 */
export function scheduledBackups(
  { clock, store, log }: Pick<AppContext, 'clock' | 'store' | 'log'>,
  schedule: BackupSchedule,
) {
  let triedAt = Number.NEGATIVE_INFINITY;
  const run = async (signal: AbortSignal) => {
    const now = clock.now();
    const due = lastDue(schedule, now);
    // After the clock was set back, a time in the future says nothing.
    const isBetween = (at: number, from: number) => at >= from && at <= now;
    if (isBetween(triedAt, Math.max(due, now - HOUR_MS))) return;
    if (isBetween((await lastBackup(store))?.at ?? 0, due)) return;
    triedAt = now;
    const { code, reason } = await backUp(schedule, signal);
    if (signal.aborted) return;
    const { place } = schedule;
    const fields = { place, ...(reason !== '' && { reason }) };
    if (code === 0) {
      log.info(fields, 'made the backup of STAVE_BACKUP_SCHEDULE');
    } else {
      log.error(fields, 'the backup of STAVE_BACKUP_SCHEDULE failed');
      await noteFailure(store, { at: now, place, reason: withoutSecretText(reason) });
    }
  };
  return leasedTasks({
    store,
    log,
    lease: 'scheduled backups',
    ms: LEASE_MS,
    tasks: [{ name: 'making a backup', run }],
    intervalMs: LOOK_MS,
  });
}

/** Runs `stave backup` with the settings of this process. The reason is what it says on standard error. */
async function backUp(
  { place, keep }: BackupSchedule,
  signal: AbortSignal,
): Promise<{ code: number | null; reason: string }> {
  const args = [PROGRAM, 'backup', place, '--keep', keep];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  const end = () => child.kill('SIGKILL');
  signal.addEventListener('abort', end);
  lowerPriority(child);
  let reason = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    reason = (reason + text).slice(0, MAX_REASON);
  });
  try {
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, reason: reason.trim() };
  } finally {
    signal.removeEventListener('abort', end);
  }
}

function lowerPriority({ pid }: ChildProcess): void {
  if (pid !== undefined) setPriority(pid, Math.min(getPriority() + BELOW_REQUESTS, 19));
}
