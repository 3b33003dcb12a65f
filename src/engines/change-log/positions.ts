import { randomBytes } from 'node:crypto';
import { DAY_MS } from '../../common/clock.ts';
import { StaveError } from '../../common/errors.ts';
import type { LogBounds } from './change-log.ts';

const PREFIX = 'c1.';
/** The bytes of an epoch, which the bytes of the number follow. */
const EPOCH_BYTES = 8;
const CURSOR_BYTES = 16;

/** A position in the change log: everything up to `seq` has been read. */
export interface LogPosition {
  /** In hexadecimal digits, as `LogBounds` has it. */
  epoch: string;
  seq: number;
}

/** Writes a position as a cursor, which is the same for all clients. */
export function writeCursor({ epoch, seq }: LogPosition): string {
  const bytes = Buffer.alloc(CURSOR_BYTES);
  bytes.write(epoch, 'hex');
  bytes.writeBigUInt64BE(BigInt(seq), EPOCH_BYTES);
  return PREFIX + bytes.toString('base64url');
}

/** Reads a cursor; undefined for any text that is none. */
export function readCursor(cursor: string): LogPosition | undefined {
  if (!cursor.startsWith(PREFIX)) return undefined;
  const bytes = Buffer.from(cursor.slice(PREFIX.length), 'base64url');
  if (bytes.length !== CURSOR_BYTES) return undefined;
  const epoch = bytes.toString('hex', 0, EPOCH_BYTES);
  const seq = Number(bytes.readBigUInt64BE(EPOCH_BYTES));
  // A position has one text: the decoder ignores characters outside of the alphabet.
  const isExact = Number.isSafeInteger(seq) && writeCursor({ epoch, seq }) === cursor;
  return isExact ? { epoch, seq } : undefined;
}

/**
 * Throws `gone` if the log cannot be continued at a position: it belongs to a history before a restore, lies after
 * the head, or before the floor.
 */
export function refuseLostPosition({ epoch, seq }: LogPosition, bounds: LogBounds): void {
  if (epoch === bounds.epoch && seq <= bounds.head && seq >= bounds.floor) return;
  throw new StaveError(
    'gone',
    'The change log no longer has everything after this position; resync from GET /v1/tracks/snapshot.',
  );
}

export const LOG_EPOCH = 'log_epoch';

interface Settings {
  get(name: string): Promise<string | undefined>;
  add(name: string, value: string): Promise<string>;
  set(name: string, value: string): Promise<void>;
}

/**
 * Gives the change log an epoch if it has none. The epoch identifies one history of the log: after a database was
 * restored, its numbers are assigned again to other changes, so that a position is valid only in its epoch.
 */
export async function ensureLogEpoch(settings: Settings): Promise<void> {
  if ((await settings.get(LOG_EPOCH)) === undefined) await settings.add(LOG_EPOCH, newEpoch());
}

/** Begins a new epoch, in which no earlier position in the log is valid, and returns it. */
export async function renewLogEpoch(settings: Settings): Promise<string> {
  const epoch = newEpoch();
  await settings.set(LOG_EPOCH, epoch);
  return epoch;
}

function newEpoch(): string {
  return randomBytes(EPOCH_BYTES).toString('hex');
}

/**
 * Counts how often positions in the log became invalid, because changes expired or another epoch began. What is
 * cached by position is valid as long as the count is the same.
 */
export class ValidPositions {
  #seen: Pick<LogBounds, 'epoch' | 'floor'> | undefined;
  #version = 0;

  get version(): number {
    return this.#version;
  }

  observe({ epoch, floor }: Pick<LogBounds, 'epoch' | 'floor'>): void {
    if (this.#seen?.epoch === epoch && this.#seen.floor === floor) return;
    this.#seen = { epoch, floor };
    this.#version++;
  }
}

/** The number of days for which positions in the log stay valid, and for which an import can be undone. */
export const LOG_DAYS = 90;

/** With a leap day, so that no change is deleted too early. */
const YEAR_MS = 366 * DAY_MS;

/** Returns the time before which changes are deleted, except those that are kept forever (`ChangeLog.expire`). */
export function historyStart(now: number, historyYears: number): number {
  return now - historyYears * YEAR_MS;
}
