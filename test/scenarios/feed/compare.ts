import type { Change } from '../../../src/engines/change-log/change-log.ts';
import type { Store } from '../../../src/features/store.ts';
import type { Record } from './record.ts';

/** What a reader got. All but `events` must be 0. */
interface ReaderReport {
  reader: string;
  /** With repetitions. */
  events: number;
  missed: number;
  outOfOrder: number;
  /** Events with a track as it was before the event. */
  older: number;
}

/** The change log, and what the readers got of it. */
export interface Comparison {
  changes: number;
  /** Changes that are the only one of their transaction. */
  single: number;
  /** The transactions with several changes. */
  batches: number;
  readers: ReaderReport[];
}

const NAMES = ['by cursor', 'by waiting', 'by time'];

/** Compares what the readers by cursor, by waiting and by time got with the change log. */
export async function compare(
  { changes: log }: Store,
  records: readonly Record[],
): Promise<Comparison> {
  const missed = records.map(() => 0);
  const sizes = new TransactionSizes();
  let changes = 0;
  for (let seq = 0; ; ) {
    const slice = await log.since(seq, ['track'], 10_000);
    if (slice.length === 0) break;
    changes += slice.length;
    for (const [i, record] of records.entries()) {
      missed[i]! += slice.filter((change) => !record.has(change.seq)).length;
    }
    for (const change of slice) sizes.add(change);
    seq = slice.at(-1)!.seq;
  }
  const readers = records.map(({ events, outOfOrder, older }, i) => ({
    reader: NAMES[i]!,
    events,
    missed: missed[i]!,
    outOfOrder,
    older,
  }));
  return { changes, ...sizes.counts(), readers };
}

/**
 * Counts transactions by their changes. The log does not have their limits, so it takes changes of the same batch and
 * the same time that follow each other for one transaction.
 */
class TransactionSizes {
  #last = '';
  #size = 0;
  #single = 0;
  #batches = 0;

  /** Adds the next change of the log. */
  add({ seq, batchId, at }: Change): void {
    // A change without a batch is the only one of its transaction.
    const transaction = batchId === null ? String(seq) : `${batchId} ${at}`;
    if (transaction !== this.#last) this.#end();
    this.#last = transaction;
    this.#size++;
  }

  counts(): { single: number; batches: number } {
    this.#end();
    return { single: this.#single, batches: this.#batches };
  }

  #end(): void {
    if (this.#size === 1) this.#single++;
    else if (this.#size > 1) this.#batches++;
    this.#size = 0;
  }
}
