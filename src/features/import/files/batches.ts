import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import type { CatalogStore } from '../../catalog/catalog-stores.ts';
import type { TrackMessageStore } from '../../catalog/track-messages.ts';
import { folderItems } from '../audio/folder-items.ts';
import type { TagReader } from '../audio/tag-reader.ts';
import { catalogItems } from '../catalog-items.ts';
import { messageBatches } from '../ddex/message-batches.ts';
import { type Batch, type Item, NOTHING } from '../item.ts';
import type { ImportOptions } from '../options.ts';
import type { Part } from './parts.ts';

/** What reading needs of the stores. */
export interface StoresToRead {
  catalog: Pick<CatalogStore, 'trackAudio'>;
  media: Pick<MediaStore, 'stat'>;
  trackMessages: Pick<TrackMessageStore, 'sentAt' | 'tracksOf'>;
}

type ReadOptions = Pick<ImportOptions, 'type' | 'clock' | 'onNote'> &
  StoresToRead & {
    /** Whether only the first records of a catalog file are read. */
    isSample?: boolean;
    tagReader: TagReader;
    onRead: (bytes: number) => void;
  };

/**
 * Reads a part batch by batch: records of catalog files, audio of folders, recordings of messages. Throws UnreadableError if
 * the rest of a catalog file cannot be read.
 */
export async function* batchesOf(
  part: Exclude<Part, { kind: 'refused' }>,
  options: ReadOptions,
): AsyncGenerator<Batch> {
  if (part.kind === 'ern') {
    const { source, messages } = part;
    const { clock, onNote = () => {} } = options;
    yield* messageBatches(messages, { ...options, source, now: clock.now(), onNote });
    return;
  }
  for await (const items of itemsOf(part, options)) {
    yield { ...NOTHING, items };
  }
}

function itemsOf(
  part: Part & { kind: 'catalog' | 'folder' },
  { type, tagReader, isSample = false, onRead, onNote }: ReadOptions,
): AsyncGenerator<Item[]> {
  const { source } = part;
  if (part.kind === 'folder') {
    return folderItems(part, { source, type, tagReader });
  }
  for (const note of part.plan.notes) {
    onNote?.(`${part.path}: ${note}`);
  }
  return catalogItems(part.plan, { source, type, isSample, onRead, ...(onNote && { onNote }) });
}

/**
 * Yields the same values, and requests the next value while the caller works on the current one, so
 * that reading a file and writing to a database overlap. Holds one more value in memory. Errors
 * keep their place in the order.
 */
export async function* readAhead<T>(values: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = values[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = iterator.next();
      // The loop throws this error when it reaches the value; this handler prevents an unhandled
      // rejection.
      next.catch(() => {});
      yield value;
    }
  } finally {
    // If the caller stops early, wait for the pending value, then close the iterator.
    await next.catch(() => {});
    await iterator.return?.();
  }
}
