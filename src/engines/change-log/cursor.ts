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
 * the head, or changes of tracks after it have expired.
 */
export function refuseLostPosition({ epoch, seq }: LogPosition, bounds: LogBounds): void {
  if (epoch === bounds.epoch && seq <= bounds.head && seq >= bounds.floor) return;
  throw new StaveError(
    'gone',
    'The change log no longer has everything after this position; resync from GET /v1/tracks/snapshot.',
  );
}
