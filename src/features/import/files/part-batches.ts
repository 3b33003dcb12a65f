import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import type { CatalogStore } from '../../catalog/catalog-stores.ts';
import type { TrackMessageStore } from '../../catalog/track-messages.ts';
import type { TagReader } from '../audio/tag-reader.ts';
import { catalogItems } from '../catalog-items.ts';
import { messageBatches } from '../ddex/message-batches.ts';
import { folderItems } from '../folder-items.ts';
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
