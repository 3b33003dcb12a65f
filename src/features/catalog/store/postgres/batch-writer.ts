import type { Clock } from '../../../../common/clock.ts';
import type { BatchCause, BatchWriter } from '../../../../engines/sql/database.ts';
import type { Transaction } from '../../../../engines/sql/postgres/database.ts';
import { BatchRecorder } from './batch-recorder.ts';
import { TrackWriter } from './track-writer.ts';

/** Returns the writer of a batch in a transaction. */
export function batchWriter(
  transaction: Transaction,
  clock: Clock,
  cause: BatchCause,
): BatchWriter {
  const recorder = new BatchRecorder(clock, cause, cause.undoes);
  const writer = new TrackWriter(clock, recorder);
  return {
    number: () => recorder.rowId(transaction),
    putBack: (tracks) => writer.putBack(transaction, tracks),
    count: (counted) => recorder.count(transaction, counted),
  };
}
