/** A thread that opens the document file of the last run, or writes a new one. document-copies.ts starts it. */
import { systemClock } from '../../common/clock.ts';
import { silentLog } from '../../common/log.ts';
import type { StoreLocation } from '../../engines/sql/setting-store.ts';
import type { DocumentColumns } from '../../features/catalog/document-copy.ts';
import type { DocumentFileWriter } from '../../features/catalog/store/disk/document-writer.ts';
import type { StreamPolicy } from '../../features/catalog/streamed-audio.ts';
import type { Store } from '../../features/store.ts';
import { openStore } from '../open/open-store.ts';
import { documentFileIn } from './document-file-in.ts';
import { offerJobs } from './offer-jobs.ts';
import { equalRests, pointInLog, refusalReason } from './point-in-log.ts';

export interface DocumentJob {
  store: StoreLocation;
  streams: StreamPolicy;
  /** In milliseconds since the epoch. */
  now: number;
  /** Whether to write a new file even if there is a valid one. */
  isOutdated: boolean;
}

export interface DocumentNews {
  columns: DocumentColumns;
  from: 'file' | 'store';
  refused?: string;
}

/** A file that lacks more changes is written again, which takes about as long as reading the changes. */
const MAX_BEHIND = 100_000;

offerJobs(async (job: DocumentJob, tell: (news: DocumentNews) => void) => {
  const news = await run(job);
  if (news !== undefined) tell(news);
});

/** Returns undefined while the import of the first catalog writes the file. */
async function run({
  store: location,
  streams,
  now,
  isOutdated,
}: DocumentJob): Promise<DocumentNews | undefined> {
  const writer = documentFileIn(location.dataFolder, 'service', streams);
  // The thread does not log: the thread that started it logs its errors.
  const store = await openStore(location, { clock: systemClock, log: silentLog });
  try {
    store.catalog.useStreams(streams);
    if (await writer.clearUp(now)) return undefined;
    let refused: string | undefined;
    if (!isOutdated) {
      const opened = await openLast(writer, store, now);
      if (opened !== undefined && 'columns' in opened) return { ...opened, from: 'file' };
      refused = opened?.refused;
    }
    const columns = await write(writer, store, now);
    return { columns, from: 'store', ...(refused !== undefined && { refused }) };
  } finally {
    await store.close();
  }
}

/** Returns undefined if there is no file. */
async function openLast(
  writer: DocumentFileWriter,
  store: Store,
  now: number,
): Promise<{ columns: DocumentColumns } | { refused: string } | undefined> {
  const reading = writer.read();
  if ('absent' in reading) return undefined;
  if ('refused' in reading) return reading;
  const { columns } = reading;
  const refused = await refusalReason(store, reading, now);
  if (refused !== undefined) return { refused };
  const isBehind = (await store.changes.head()) - columns.seq > MAX_BEHIND;
  return isBehind ? { refused: 'the catalog has changed too much since' } : { columns };
}

async function write(
  writer: DocumentFileWriter,
  store: Store,
  now: number,
): Promise<DocumentColumns> {
  // The head is read before the documents: changes that are committed meanwhile are followed from the log.
  const seq = await store.changes.head();
  return writer.write(
    {
      seq: async () => seq,
      expected: (await store.catalog.counts()).live,
      documents: withRests(store.catalog.allDocuments()),
      filters: () => store.catalog.filterTexts(),
      catalog: () => pointInLog(store),
    },
    now,
  );
}

async function* withRests<T>(slices: AsyncIterable<T>): AsyncIterable<T> {
  const rest = equalRests();
  for await (const slice of slices) {
    yield slice;
    await rest();
  }
}
