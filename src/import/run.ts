import type { DeliverySession } from '../catalog/store.ts';
import type { TrackDelivery } from '../catalog/track.ts';
import { MAX_PARTS } from '../catalog/track-parts.ts';
import { newId } from '../common/ids.ts';
import { OperatorError } from '../common/operator-error.ts';
import { openTagReader, type TagReader } from './audio/tag-reader.ts';
import { catalogItems } from './catalog-items.ts';
import { UnreadableError } from './decode/decoded.ts';
import { FirstPlaces } from './first-places.ts';
import { folderItems } from './folder-items.ts';
import type { Item } from './item.ts';
import { type MediaPhase, openMediaPhase } from './media-files.ts';
import type { ImportOptions, ImportSummary } from './options.ts';
import { type Part, planParts, type Reading, readingOf, refuseUnsafePrune } from './parts.ts';
import { pruneRefusal } from './prune.ts';
import { readAhead } from './read-ahead.ts';
import { type Rejection, refuseHopeless, rejectionOf } from './rejection.ts';
import { openSpool } from './spool.ts';

/**
 * Imports files and folders phase by phase and batch by batch (see README.md in this folder).
 * Memory does not grow with their length. Reports each rejected record and continues with the next
 * one. Throws OperatorError before any write if the import cannot run at all.
 */
export async function runImport(options: ImportOptions): Promise<ImportSummary> {
  const tagReader = openTagReader({ timeoutSeconds: options.audioSeconds });
  const spool = openSpool();
  try {
    const parts = await planParts(options, spool);
    if (options.prune) {
      refuseUnsafePrune(parts, options.source);
    } else if (options.pruneLimit !== undefined) {
      throw new OperatorError('--prune-limit needs --prune');
    }
    for (const part of parts) {
      const reading = readingOf(part);
      if (reading !== undefined) {
        options.onReading?.(reading);
      }
    }
    if (options.strict || options.dryRun) {
      const check = new ImportPass(options, tagReader, true);
      const checked = await check.run(parts);
      if (options.dryRun) {
        return checked;
      }
      if (checked.rejected > 0 || check.wasPruneRefused) {
        options.onNote?.('nothing was imported: --strict imports all records or none');
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
    await spool.close();
  }
}

/** Characters of the label, which is made of the paths and names the import in lists. */
const MAX_LABEL = 200;
/** How many taken-down tracks a note names. */
const MAX_TOLD = 100;

/** One walk over all parts: a check that writes nothing, or the import itself. */
class ImportPass {
  readonly #options: ImportOptions;
  readonly #tagReader: TagReader;
  readonly #isCheck: boolean;
  readonly #media: MediaPhase;
  readonly #summary = { read: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };
  readonly #firstPlaces = new FirstPlaces();
  /** How the current part is read. */
  #reading: Reading | undefined;
  #bytesRead = 0;
  #bytesTotal = 0;
  /** Why a prune could withdraw tracks that the delivery lists; null if there is no such reason. */
  #pruneRisk: string | null = null;
  /** How many tracks of the source were live before this pass; 0 without `--prune`. */
  #liveBefore = 0;
  wasPruneRefused = false;

  constructor(options: ImportOptions, tagReader: TagReader, isCheck: boolean) {
    this.#options = options;
    this.#tagReader = tagReader;
    this.#isCheck = isCheck;
    const { catalog, media } = options;
    this.#media = openMediaPhase({ catalog, media, tagReader, dryRun: isCheck });
  }

  async run(parts: readonly Part[]): Promise<ImportSummary> {
    const { catalog, by, paths } = this.#options;
    const batchId = newId();
    const label = paths.join(', ').slice(0, MAX_LABEL);
    const session = await catalog.openDelivery(by, batchId, label);
    try {
      this.#bytesTotal = parts.every(({ kind }) => kind !== 'folder')
        ? parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0)
        : 0;
      const { prune, onBatch } = this.#options;
      const { source } = parts[0]!;
      this.#liveBefore = prune ? await catalog.countLive(source) : 0;
      for (const part of parts) {
        await this.#importPart(part, session);
      }
      const withdrawn = prune ? await this.#prune(source, session) : undefined;
      const { created, updated } = this.#summary;
      if (!this.#isCheck && created + updated + (withdrawn ?? 0) > 0) onBatch?.(batchId);
      const stayDown = await this.#countDown(session);
      return {
        ...this.#summary,
        ...(withdrawn !== undefined && { withdrawn }),
        ...(stayDown > 0 && { stayDown }),
      };
    } finally {
      await session.close();
    }
  }

  async #importPart(part: Part, session: DeliverySession): Promise<void> {
    this.#reading = readingOf(part);
    if (part.kind === 'refused') {
      this.#reject(part.rejection);
      return;
    }
    const before = { ...this.#summary };
    try {
      for await (const items of readAhead(this.#itemsOf(part))) {
        this.#summary.read += items.length;
        await this.#media.attach(items);
        await this.#deliver(items, session);
        this.#tellProgress();
        refuseHopeless(before, this.#summary);
      }
    } catch (error) {
      if (!(error instanceof UnreadableError)) {
        throw error;
      }
      this.#pruneRisk ??= `${part.path} could not be read to the end`;
      const line = error.position > 0 ? error.position : null;
      this.#reject({ file: part.path, line, field: '', reason: error.message });
      return;
    }
    if (part.kind === 'folder' && this.#summary.read === before.read) {
      this.#pruneRisk ??= `${part.path} contains no audio`;
      const reason = 'the folder contains no audio files; name catalog files one by one';
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
    const rejectedIds: string[] = [];
    for (const item of items) {
      if (item.prepared.delivery === null) {
        if (item.prepared.id === null) {
          this.#pruneRisk ??= 'the id of a rejected record is unknown';
        } else {
          rejectedIds.push(item.prepared.id);
        }
        this.#reject(rejectionOf(item.file, item.line, item.prepared.problems));
      } else {
        deliveries.push(item.prepared.delivery);
        delivered.push(item);
      }
    }
    if (this.#options.prune && rejectedIds.length > 0) {
      await session.list(rejectedIds);
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
        this.#reject(this.#repetition(delivered[i]!, deliveries[i]!));
      } else if (outcome === 'foreign') {
        this.#reject(await this.#foreign(delivered[i]!, deliveries[i]!));
      } else if (outcome === 'crowded') {
        this.#reject(crowdedRejection(delivered[i]!, deliveries[i]!));
      } else {
        const { file, line } = delivered[i]!;
        if (line !== null) {
          this.#firstPlaces.add(deliveries[i]!.id, file, line);
        }
        this.#summary[outcome]++;
      }
    }
  }

  async #foreign({ file, line }: Item, { id }: TrackDelivery): Promise<Rejection> {
    const owner = (await this.#options.catalog.trackRecord(id))?.source ?? 'another one';
    const reason = `belongs to a track of the source ${owner}; another source can deliver it once ${owner} has withdrawn it`;
    return { file, line, field: 'id', reason };
  }

  #repetition({ file, line }: Item, { id, externalId }: TrackDelivery): Rejection {
    const field = externalId === null ? 'id' : 'externalId';
    const first = this.#firstPlaces.find(id, file);
    const where = first === undefined ? '' : ` in ${first}`;
    const reason = `names a track that this import has delivered already${where}, with other values`;
    return { file, line, field, reason };
  }

  /**
   * Returns how many tracks the prune withdrew, or in a dry run would withdraw; undefined in the
   * check of a strict import.
   */
  async #prune(source: string, session: DeliverySession): Promise<number | undefined> {
    const { onNote, onPruneRefused, pruneLimit, dryRun = false } = this.#options;
    if (this.#pruneRisk !== null) {
      onNote?.(`nothing was withdrawn: ${this.#pruneRisk}`);
      return 0;
    }
    const absent = await session.countAbsent(source);
    const refusal = pruneRefusal({ source, absent, live: this.#liveBefore, limit: pruneLimit });
    if (refusal !== undefined) {
      this.wasPruneRefused = true;
      onPruneRefused?.(
        dryRun
          ? `--prune would be refused: it would withdraw ${refusal}`
          : `nothing was withdrawn: --prune would withdraw ${refusal}`,
      );
      return dryRun ? absent : 0;
    }
    if (this.#isCheck) {
      return dryRun ? absent : undefined;
    }
    return session.withdrawAbsent(source);
  }

  /** Returns how many delivered tracks stay down, and names them in a note. */
  async #countDown(session: DeliverySession): Promise<number> {
    const { count, slugs } = await session.takenDown(MAX_TOLD);
    if (count > 0 && !(this.#isCheck && this.#options.strict)) {
      const more = count > slugs.length ? ` and ${count - slugs.length} more` : '';
      this.#options.onNote?.(
        `${count} of the tracks ${count === 1 ? 'stays down, because it was' : 'stay down, because they were'} taken down: ${slugs.join(', ')}${more} (\`stave tracks restore\` brings one back)`,
      );
    }
    return count;
  }

  #reject(rejection: Rejection): void {
    this.#summary.rejected++;
    this.#options.onRejection?.(rejection, this.#reading);
  }

  #tellProgress(): void {
    this.#options.onProgress?.({
      bytesRead: this.#bytesRead,
      bytesTotal: this.#bytesTotal,
      records: this.#summary.read,
      reading: this.#reading,
    });
  }
}

/** The rejection of a record whose check found fewer parts of the track than it had when the record was written. */
function crowdedRejection({ file, line }: Item, { stems }: TrackDelivery): Rejection {
  const field = stems === undefined ? 'versions' : 'stems';
  const reason = `must list ${MAX_PARTS} at most, stems and versions together; another import has given the track more parts meanwhile`;
  return { file, line, field, reason };
}
