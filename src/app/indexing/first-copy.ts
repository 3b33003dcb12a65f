import { once } from 'node:events';
import { PassThrough } from 'node:stream';
import type { Clock } from '../../common/clock.ts';
import type { Log } from '../../common/log.ts';
import type { TakeCreated } from '../../features/catalog/catalog-stores.ts';
import { COPY_FROM, type DocumentParts } from '../../features/catalog/document-copy.ts';
import { documentOf } from '../../features/catalog/store/track-row.ts';
import type { StreamPolicy } from '../../features/catalog/streamed-audio.ts';
import type { Store } from '../../features/store.ts';
import { documentFileIn } from './document-file-in.ts';
import { pointInLog } from './point-in-log.ts';

/** What an import has opened. */
export interface FirstCopyContext {
  config: { dataFolder: string };
  store: Store;
  clock: Clock;
  log: Log;
}

/** The slices of documents that wait to be written while the disk is slow. */
const MAX_WAITING = 4;

/**
 * The document file of a first catalog. The import writes it, because it has all values of a new track in memory, so that no
 * service reads the whole catalog again. The file is only a copy: if it cannot be written, a service writes it.
 */
export class FirstCopy {
  readonly #context: FirstCopyContext;
  readonly #streams: StreamPolicy;
  readonly #slices = new PassThrough({ objectMode: true, highWaterMark: MAX_WAITING });
  readonly #seq: number;
  readonly #copyFrom: number;
  readonly #ended: Promise<unknown>;
  /** Null until the file may be completed. */
  #batchId: string | null = null;
  #tracks = 0;

  private constructor(
    context: FirstCopyContext,
    streams: StreamPolicy,
    { seq, copyFrom }: { seq: number; copyFrom: number },
  ) {
    this.#context = context;
    this.#streams = streams;
    this.#copyFrom = copyFrom;
    this.#seq = seq;
    this.#ended = this.#write().catch((error: unknown) => {
      // The import goes on without the file. A command logs this only at the levels debug and trace.
      this.#slices.destroy();
      if (error !== NOT_NEEDED)
        context.log.warn({ err: error }, 'the document file was not written');
    });
  }

  /**
   * Returns undefined if there is a catalog already.
   * @param streams what the documents say of streams
   * @param copyFrom a catalog of fewer tracks has no file
   */
  static async begin(
    context: FirstCopyContext,
    streams: StreamPolicy,
    copyFrom = COPY_FROM,
  ): Promise<FirstCopy | undefined> {
    const { catalog, changes, sourceProvenance } = context.store;
    const seq = await changes.head();
    if (!(await catalog.isUntouched())) return undefined;
    // The documents of an import have what it delivers, without defaults.
    if ((await sourceProvenance.all()).length > 0) return undefined;
    // What a killed import has left.
    const { dataFolder } = context.config;
    await documentFileIn(dataFolder, 'import', streams).clearUp(context.clock.now());
    return new FirstCopy(context, streams, { seq, copyFrom });
  }

  /** Takes what the import has committed. Waits while the disk is slow. */
  readonly add: TakeCreated = async (created) => {
    this.#tracks += created.length;
    if (this.#slices.destroyed) return;
    if (this.#slices.write(created.map((track) => documentOf(track, this.#streams)))) return;
    await Promise.race([once(this.#slices, 'drain'), this.#ended]);
  };

  /** Completes the file. `batchId` is that of the import, or null if it failed or changed nothing. */
  async end(batchId: string | null): Promise<void> {
    if (this.#tracks >= this.#copyFrom) this.#batchId = batchId;
    this.#slices.end();
    await this.#ended;
  }

  #write(): Promise<unknown> {
    const { config, store, clock } = this.#context;
    return documentFileIn(config.dataFolder, 'import', this.#streams).write(
      {
        documents: this.#slices as AsyncIterable<DocumentParts[]>,
        filters: () => store.catalog.filterTexts(),
        seq: () => this.#lastSeq(),
        catalog: () => pointInLog(store),
        expected: Number.POSITIVE_INFINITY,
      },
      clock.now(),
    );
  }

  /** Returns the position up to which the log has only creations of the copied tracks. */
  async #lastSeq(): Promise<number> {
    const { catalog, changes } = this.#context.store;
    if (this.#batchId === null) throw NOT_NEEDED;
    const head = await changes.head();
    const other = await catalog.firstOtherChange(this.#seq, this.#batchId);
    return other === undefined ? head : other - 1;
  }
}

const NOT_NEEDED = new Error('The document file is not needed');
