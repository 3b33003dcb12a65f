import { setImmediate as nextTurn } from 'node:timers/promises';
import { sealOf } from '../../catalog/track-document.ts';
import { folderItems } from '../audio/folder-items.ts';
import type { Prepared } from '../canonical/track.ts';
import { catalogItems } from '../catalog-items.ts';
import { messageBatches } from '../ddex/message-batches.ts';
import type { Batch } from '../item.ts';
import type { ReadContext } from '../options.ts';
import { namesFiles } from './media-files.ts';
import type { Part } from './parts.ts';

/**
 * Reads a part batch by batch: records of catalog files, audio of folders, recordings of messages. Throws UnreadableError if
 * the rest of a catalog file cannot be read.
 */
export async function* batchesOf(
  part: Exclude<Part, { kind: 'refused' }>,
  given: Omit<ReadContext, 'source'>,
): AsyncGenerator<Batch> {
  const context = { ...given, source: part.source };
  switch (part.kind) {
    case 'ern':
      yield* messageBatches(part.messages, context);
      break;
    case 'folder':
      for await (const items of folderItems(part, context)) yield { items };
      break;
    case 'catalog':
      for (const note of part.plan.notes) context.onNote?.(`${part.path}: ${note}`);
      for await (const items of catalogItems(part.plan, context)) {
        // While the batch before is written. Files change a delivery later.
        for (const item of items) if (!namesFiles(item)) seal(item.prepared);
        yield { items };
      }
      break;
  }
}

function seal(prepared: Prepared): void {
  if (prepared.delivery !== null) prepared.seal = sealOf(prepared.delivery);
}

/**
 * Yields the same values, and requests the next value while the caller works on the current one, so
 * that reading a file and writing to a database overlap. Holds one more value in memory. Errors
 * keep their place in the order. The caller comes first: it works until it waits for something, such as
 * a thread that writes, because making a value may take 30 ms.
 */
export async function* readAhead<T>(values: AsyncIterable<T>): AsyncGenerator<T> {
  const iterator = values[Symbol.asyncIterator]();
  let next = iterator.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done) return;
      next = nextTurn().then(() => iterator.next());
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
