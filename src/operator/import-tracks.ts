import type { AppContext } from '../app/open/context.ts';
import { DAY_MS } from '../common/clock.ts';
import { LOG_DAYS } from '../engines/change-log/positions.ts';
import type { ImportOptions, ImportSummary } from '../features/import/options.ts';
import { runImport } from '../features/import/run.ts';

export type ImportContext = Pick<AppContext, 'store' | 'media' | 'clock' | 'by'>;

export type ImportRequest = Omit<
  ImportOptions,
  'catalog' | 'trackMessages' | 'media' | 'by' | 'clock' | 'onBatch' | 'onPruneRefused'
>;

export interface ImportResult {
  summary: ImportSummary;
  /** The id with which it can be undone; null if it changed nothing. */
  batch: string | null;
  /** Whether it withdrew nothing because it would have been too many tracks. The reason is a note. */
  wasPruneRefused: boolean;
}

/** Deletes the former content of tracks that is no longer kept, too. Throws OperatorError if it cannot run at all. */
export async function importTracks(
  { store, media, clock, by }: ImportContext,
  request: ImportRequest,
): Promise<ImportResult> {
  let batch: string | null = null;
  let wasPruneRefused = false;
  const summary = await runImport({
    ...request,
    ...{ catalog: store.catalog, trackMessages: store.trackMessages, media, by, clock },
    onPruneRefused(reason) {
      wasPruneRefused = true;
      request.onNote?.(reason);
    },
    onBatch(id) {
      batch = id;
    },
  });
  if (batch !== null) await store.batches.expire(clock.now() - LOG_DAYS * DAY_MS);
  return { summary, batch, wasPruneRefused };
}
