import type { CatalogStore, DeliverySession } from '../catalog/store.ts';
import type { TrackDelivery, TrackType } from '../catalog/track.ts';
import type { Actor } from '../kernel/actor.ts';
import { newId } from '../kernel/ids.ts';
import type { MediaStore } from '../media/media-store.ts';
import { openTagReader, type TagReader } from './audio/tag-reader.ts';
import { catalogItems } from './catalog-items.ts';
import { UnreadableError } from './decode/decoded.ts';
import { folderItems } from './folder-items.ts';
import type { Item } from './item.ts';
import { type MediaPhase, openMediaPhase } from './media-files.ts';
import { type Part, planParts, refuseUnsafePrune } from './parts.ts';
import { readAhead } from './read-ahead.ts';
import { type Rejection, rejectionOf } from './rejection.ts';

/** What an import did, in records; `takenDown` is there with `prune` alone. */
export interface ImportSummary {
  read: number;
  created: number;
  updated: number;
  unchanged: number;
  rejected: number;
  takenDown?: number;
}

/** How far an import has come. */
export interface ImportProgress {
  /** Of the catalog files themselves, packed where they are. */
  bytesRead: number;
  /** 0 where it cannot be told, as for folders. */
  bytesTotal: number;
  records: number;
}

/** What to import, how, and into what. */
export interface ImportOptions {
  paths: readonly string[];
  /** Whose tracks they are; the name of the mapping by default. */
  source?: string | undefined;
  /** The file of a mapping. */
  mapFile?: string | undefined;
  /** The type of tracks that name none; folders hold `music` by default. */
  type?: TrackType | undefined;
  /** Check everything first; take nothing in when anything is rejected. */
  strict?: boolean | undefined;
  /** Report only. */
  dryRun?: boolean | undefined;
  /** Take down what a full delivery of the source no longer lists. */
  prune?: boolean | undefined;
  catalog: CatalogStore;
  media: MediaStore;
  by: Actor;
  onRejection?: (rejection: Rejection) => void;
  onNote?: (note: string) => void;
  onProgress?: (progress: ImportProgress) => void;
}

/**
 * Imports files and folders, phase by phase and batch by batch (see README.md beside this file).
 * Memory does not grow with their length. Rejected records are told one by one and do not stop the
 * others. Throws OperatorError where the import cannot run at all, before anything is written.
 */
export async function runImport(options: ImportOptions): Promise<ImportSummary> {
  const tagReader = openTagReader();
  try {
    const parts = await planParts(options);
    if (options.prune) {
      refuseUnsafePrune(parts);
    }
    if (options.strict || options.dryRun) {
      const check = new ImportPass(options, tagReader, true);
      const checked = await check.run(parts);
      if (options.dryRun) {
        return checked;
      }
      if (checked.rejected > 0) {
        options.onNote?.('nothing was imported, for --strict takes all or nothing');
        return {
          ...checked,
          created: 0,
          updated: 0,
          unchanged: 0,
          rejected: Math.max(checked.read, checked.rejected),
        };
      }
    }
    return await new ImportPass(options, tagReader, false).run(parts);
  } finally {
    await tagReader.close();
  }
}

/** One walk over all parts: a check that writes nothing, or the import itself. */
class ImportPass {
  readonly #options: ImportOptions;
  readonly #tagReader: TagReader;
  readonly #isCheck: boolean;
  readonly #media: MediaPhase;
  readonly #summary = { read: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };
  #bytesRead = 0;
  #bytesTotal = 0;
  /** Why a prune would take down tracks that the delivery does list; null while it would not. */
  #pruneRisk: string | null = null;

  constructor(options: ImportOptions, tagReader: TagReader, isCheck: boolean) {
    this.#options = options;
    this.#tagReader = tagReader;
    this.#isCheck = isCheck;
    this.#media = openMediaPhase({ media: options.media, tagReader, dryRun: isCheck });
  }

  async run(parts: readonly Part[]): Promise<ImportSummary> {
    const session = await this.#options.catalog.openDelivery(this.#options.by, newId());
    try {
      this.#bytesTotal = parts.every(({ kind }) => kind !== 'folder')
        ? parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
        : 0;
      for (const part of parts) {
        await this.#importPart(part, session);
      }
      const takenDown = this.#options.prune ? await this.#prune(parts[0]!.source, session) : null;
      return takenDown === null ? { ...this.#summary } : { ...this.#summary, takenDown };
    } finally {
      await session.close();
    }
  }

  async #importPart(part: Part, session: DeliverySession): Promise<void> {
    if (part.kind === 'refused') {
      this.#reject(part.rejection);
      return;
    }
    const before = this.#summary.read;
    try {
      for await (const items of readAhead(this.#itemsOf(part))) {
        this.#summary.read += items.length;
        await this.#media.attach(items);
        await this.#deliver(items, session);
        this.#tellProgress();
      }
    } catch (error) {
      if (!(error instanceof UnreadableError)) {
        throw error;
      }
      this.#pruneRisk ??= `${part.path} could not be read to its end`;
      const line = error.position > 0 ? error.position : null;
      this.#reject({ file: part.path, line, field: '', reason: error.message });
      return;
    }
    if (part.kind === 'folder' && this.#summary.read === before) {
      this.#pruneRisk ??= `${part.path} holds no audio`;
      const reason = 'the folder holds no audio files; name catalog files one by one';
      this.#reject({ file: part.path, line: null, field: '', reason });
    }
  }

  #itemsOf(part: Exclude<Part, { kind: 'refused' }>): AsyncGenerator<Item[]> {
    const { source } = part;
    const { type, onNote } = this.#options;
    if (part.kind === 'folder') {
      return folderItems(part, { source, type, tagReader: this.#tagReader });
    }
    for (const note of part.plan.notes) {
      onNote?.(`${part.path}: ${note}`);
    }
    const onRead = (bytes: number) => {
      this.#bytesRead += bytes;
    };
    return catalogItems(part.plan, { source, type, onRead, ...(onNote && { onNote }) });
  }

  async #deliver(items: readonly Item[], session: DeliverySession): Promise<void> {
    const deliveries: TrackDelivery[] = [];
    const delivered: Item[] = [];
    for (const item of items) {
      if (item.prepared.delivery === null) {
        await this.#weighPruneRisk(item.prepared.id);
        this.#reject(rejectionOf(item.file, item.line, item.prepared.problems));
      } else {
        deliveries.push(item.prepared.delivery);
        delivered.push(item);
      }
    }
    if (deliveries.length === 0) {
      return;
    }
    const outcomes = this.#isCheck
      ? await session.preview(deliveries)
      : await session.deliver(deliveries);
    for (let i = 0; i < outcomes.length; i++) {
      const outcome = outcomes[i]!;
      if (outcome === 'duplicate') {
        const { file, line } = delivered[i]!;
        const field = deliveries[i]!.externalId === null ? 'id' : 'externalId';
        const reason = 'names a track that this import has delivered already, with other values';
        this.#reject({ file, line, field, reason });
      } else {
        this.#summary[outcome]++;
      }
    }
  }

  /** A rejected record must not cause its own track's takedown. */
  async #weighPruneRisk(id: string | null): Promise<void> {
    if (!this.#options.prune || this.#pruneRisk !== null) {
      return;
    }
    if (id === null) {
      this.#pruneRisk = 'a rejected record does not tell which track it is';
    } else if ((await this.#options.catalog.trackRecord(id))?.state === 'live') {
      this.#pruneRisk = `the record of a live track (${id}) was rejected`;
    }
  }

  async #prune(source: string, session: DeliverySession): Promise<number | null> {
    if (this.#pruneRisk !== null) {
      this.#options.onNote?.(`nothing was taken down: ${this.#pruneRisk}`);
      return 0;
    }
    if (!this.#isCheck) {
      return session.takeDownAbsent(source);
    }
    return this.#options.dryRun ? session.countAbsent(source) : null;
  }

  #reject(rejection: Rejection): void {
    this.#summary.rejected++;
    this.#options.onRejection?.(rejection);
  }

  #tellProgress(): void {
    this.#options.onProgress?.({
      bytesRead: this.#bytesRead,
      bytesTotal: this.#bytesTotal,
      records: this.#summary.read,
    });
  }
}
