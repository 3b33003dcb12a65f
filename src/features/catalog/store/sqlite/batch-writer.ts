import type { Clock } from '../../../../common/clock.ts';
import type { BatchCause, BatchWriter } from '../../../../engines/sql/database.ts';
import type { Database } from '../../../../engines/sql/sqlite/database.ts';
import { BatchRecorder } from './batch-recorder.ts';
import { TrackWriter } from './track-writer.ts';

/** Returns the writer of a batch in the open transaction of the database. */
export function batchWriter(database: Database, clock: Clock, cause: BatchCause): BatchWriter {
  const recorder = new BatchRecorder(database, clock, cause, cause.undoes);
  const writer = new TrackWriter(database, clock, recorder);
  return {
    number: async () => recorder.rowId(),
    putBack: async (tracks) =>
      new Map(tracks.map(({ rowId, former }) => [rowId, writer.putBack(rowId, former)])),
    count: async (counted) => recorder.count(counted),
  };
}
