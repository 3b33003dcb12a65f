import { FirstCopy, type FirstCopyContext } from '../app/indexing/first-copy.ts';
import type { AppContext } from '../app/open/context.ts';
import { type StreamSettings, streamPolicy } from '../app/stream-policy.ts';
import { DAY_MS } from '../common/clock.ts';
import { LOG_DAYS } from '../engines/change-log/positions.ts';
import type { ImportOptions, ImportSummary } from '../features/import/options.ts';
import { runImport } from '../features/import/run.ts';

export type ImportContext = FirstCopyContext &
  Pick<AppContext, 'media' | 'by'> & { config: StreamSettings };

export type ImportRequest = Omit<
  ImportOptions,
  | 'catalog'
  | 'trackMessages'
  | 'streams'
  | 'media'
  | 'by'
  | 'clock'
  | 'onBatch'
  | 'onCreated'
  | 'onPruneRefused'
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
  context: ImportContext,
  request: ImportRequest,
): Promise<ImportResult> {
  const { store, media, clock, by } = context;
  const streams = await streamPolicy(context.config);
  const copy = request.dryRun ? undefined : await FirstCopy.begin(context, streams);
  let batch: string | null = null;
  let wasPruneRefused = false;
  let summary: ImportSummary;
  try {
    summary = await runImport({
      ...request,
      ...{ catalog: store.catalog, trackMessages: store.trackMessages, streams, media, by, clock },
      onPruneRefused(reason) {
        wasPruneRefused = true;
        request.onNote?.(reason);
      },
      onBatch(id) {
        batch = id;
      },
      onCreated: copy?.add,
    });
  } finally {
    // The batch of an import that failed is unknown.
    await copy?.end(batch);
  }
  if (batch !== null) await store.batches.expire(clock.now() - LOG_DAYS * DAY_MS);
  return { summary, batch, wasPruneRefused };
}
