import { OperatorError } from '../../common/errors.ts';
import { newId } from '../../common/ids.ts';
import type { DeliverySession } from '../catalog/catalog-stores.ts';
import { ORIGINALS } from '../catalog/streamed-audio.ts';
import type { TrackDelivery } from '../catalog/track.ts';
import { type Seal, sealOf } from '../catalog/track-document.ts';
import { TagReader } from './audio/tag-reader.ts';
import { batchesOf, readAhead } from './files/batches.ts';
import { FileFinder } from './files/file-finder.ts';
import { MediaFiles } from './files/media-files.ts';
import { type Part, planParts, pruneRefusal, readingOf, refuseUnsafePrune } from './files/parts.ts';
import {
  crowdedRejection,
  duplicateRejection,
  fileRejection,
  foreignRejection,
  type Item,
  type Place,
  type Rejection,
  refuseHopeless,
  rejectionOf,
  unreadableRejection,
} from './item.ts';
import { MediaNotes } from './media-notes.ts';
import type { ImportOptions, ImportSummary, Reading } from './options.ts';
import { RepeatedIsrcs } from './repeated-isrcs.ts';
import { HiddenChanges } from './track-edits.ts';

/**
 * Imports files and folders phase by phase and batch by batch (see README.md in this folder).
 * Memory does not grow with their length. Reports each rejected record and continues with the next
 * one. Throws OperatorError before any write if the import cannot run at all.
 */
export async function runImport(options: ImportOptions): Promise<ImportSummary> {
  await using copies = new AsyncDisposableStack();
  const { audioSeconds: timeoutSeconds, tagEncoding } = options;
  await using tagReader = new TagReader({ timeoutSeconds, tagEncoding });
  const parts = await planParts(options, copies);
  if (options.prune) {
    refuseUnsafePrune(parts, options.source);
  } else if (options.pruneLimit !== undefined) {
    throw new OperatorError('--prune-limit needs --prune');
  }
  for (const reading of parts.map(readingOf)) {
    if (reading !== undefined) options.onReading?.(reading);
  }
  if (options.strict || options.dryRun) {
    const check = new ImportPass(options, tagReader, true);
    const checked = await check.run(parts);
    const isLast = options.dryRun || checked.rejected > 0 || check.wasPruneRefused;
    // The import that follows has the same notes.
    if (isLast) check.noteFiles();
    if (options.dryRun) return checked;
    if (isLast) {
      options.onNote?.('nothing was imported: --strict imports all records or none');
      const rejected = Math.max(checked.read, checked.rejected);
      return { ...checked, created: 0, updated: 0, unchanged: 0, rejected };
    }
  }
  const pass = new ImportPass(options, tagReader, false);
  const summary = await pass.run(parts);
  pass.noteFiles();
  return summary;
}

/** Characters of the label, which is made of the paths and names the import in lists. */
const MAX_LABEL = 200;
const MAX_SLUGS = 100;
/** Some thousand tracks. */
const LARGE_BYTES = 2_000_000;
/** 30 MB. The rejection of a second record of a later track does not name the place of the first. */
const MAX_PLACES = 250_000;

/** One walk over all parts: a check that writes nothing, or the import itself. */
class ImportPass {
  readonly #options: ImportOptions;
  readonly #tagReader: TagReader;
  readonly #isCheck: boolean;
  readonly #media: MediaFiles;
  readonly #files: FileFinder;
  readonly #notes = new MediaNotes();
  readonly #summary = { read: 0, created: 0, updated: 0, unchanged: 0, rejected: 0 };
  #withdrawn = 0;
  /** The place of the first record of each track. */
  readonly #firstPlaces = new Map<string, Place>();
  #reading: Reading | undefined;
  #bytesRead = 0;
  #bytesTotal = 0;
  /** Why a prune could withdraw tracks that the delivery lists; null if there is no such reason. */
  #pruneRisk: string | null = null;
  /** How many tracks of the source were live before this pass; 0 without `--prune`. */
  #liveBefore = 0;
  readonly #isrcs: RepeatedIsrcs;
  readonly #hidden = new HiddenChanges();
  wasPruneRefused = false;

  constructor(options: ImportOptions, tagReader: TagReader, isCheck: boolean) {
    this.#options = options;
    this.#tagReader = tagReader;
    this.#isCheck = isCheck;
    const { catalog, media, streams = ORIGINALS, strictFiles = false } = options;
    this.#files = new FileFinder(media);
    const context = { catalog, media, tagReader, files: this.#files, notes: this.#notes };
    this.#media = new MediaFiles({ ...context, streams, strictFiles, dryRun: isCheck });
    this.#isrcs = new RepeatedIsrcs(catalog);
  }

  async run(parts: readonly Part[]): Promise<ImportSummary> {
    const { catalog, by, paths, onCreated } = this.#options;
    const batchId = newId();
    const label = paths.join(', ').slice(0, MAX_LABEL);
    const isKnown = parts.every(({ kind }) => kind !== 'folder');
    this.#bytesTotal = isKnown ? parts.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0) : 0;
    const isLarge = this.#bytesTotal >= LARGE_BYTES;
    const session = await catalog.openDelivery(by, batchId, label, { isLarge, onCreated });
    try {
      const { prune, onBatch } = this.#options;
      const { source } = parts[0]!;
      this.#liveBefore = prune ? await catalog.countLive(source) : 0;
      for (const part of parts) {
        await this.#importPart(part, session);
      }
      const pruned = prune ? await this.#prune(source, session) : undefined;
      const { created, updated } = this.#summary;
      const withdrawn = this.#withdrawn + (pruned ?? 0);
      if (!this.#isCheck && created + updated + withdrawn > 0) onBatch?.(batchId);
      if (!this.#isRepeated) this.#noteCatalog();
      const stayDown = await this.#countDown(session);
      return {
        ...this.#summary,
        ...((pruned !== undefined || withdrawn > 0) && { withdrawn }),
        ...(stayDown > 0 && { stayDown }),
      };
    } finally {
      await session.close();
    }
  }

  noteFiles(): void {
    for (const note of this.#notes.lines()) this.#options.onNote?.(note);
  }

  async #importPart(part: Part, session: DeliverySession): Promise<void> {
    this.#reading = readingOf(part);
    if (part.kind === 'refused') {
      this.#reject(part.rejection);
      return;
    }
    const before = { ...this.#summary };
    const onRead = (bytes: number) => {
      this.#bytesRead += bytes;
    };
    const shared = { tagReader: this.#tagReader, files: this.#files, notes: this.#notes };
    const context = { ...this.#options, ...shared, onRead };
    try {
      for await (const batch of readAhead(batchesOf(part, context))) {
        const { items = [], withdrawals = [], messages = [], passedOver = [] } = batch;
        this.#summary.read += items.length;
        await this.#media.attach(items);
        await this.#deliver(items, session);
        await this.#withdraw(withdrawals, part.source, session);
        if (this.#options.prune) await session.list(passedOver);
        if (!this.#isCheck) await this.#options.trackMessages.record(messages);
        for (const rejection of batch.rejections ?? []) {
          // It may name any number of tracks.
          this.#pruneRisk ??= `${rejection.file} could not be read`;
          this.#reject(rejection);
        }
        this.#options.onProgress?.({
          ...{ bytesRead: this.#bytesRead, bytesTotal: this.#bytesTotal },
          ...{ records: this.#summary.read, reading: this.#reading },
        });
        refuseHopeless(before, this.#summary);
      }
    } catch (error) {
      const rejection = unreadableRejection(part.path, error);
      this.#pruneRisk ??= `${part.path} could not be read to the end`;
      this.#reject(rejection);
      return;
    }
    if (part.kind === 'folder' && this.#summary.read === before.read) {
      this.#pruneRisk ??= `${part.path} contains no audio`;
      const reason = 'the folder contains no audio files; name catalog files one by one';
      this.#reject(fileRejection(part.path, reason));
    }
  }

  /** Withdraws those of the tracks that are live and belong to the source. */
  async #withdraw(ids: readonly string[], source: string, session: DeliverySession): Promise<void> {
    if (ids.length === 0) return;
    if (!this.#isCheck) {
      this.#withdrawn += await session.withdraw(source, ids);
      return;
    }
    if (this.#options.dryRun === true) {
      this.#withdrawn += await session.countWithdrawable(source, ids);
    }
    // The check leaves them live; they must not count as absent, too.
    await session.list(ids);
  }

  async #deliver(items: readonly Item[], session: DeliverySession): Promise<void> {
    const deliveries: TrackDelivery[] = [];
    const seals: Seal[] = [];
    const delivered: Item[] = [];
    const rejectedIds: string[] = [];
    for (const item of items) {
      const { delivery, problems } = item.prepared;
      if (delivery !== null) {
        deliveries.push(delivery);
        seals.push(item.prepared.seal ?? sealOf(delivery));
        delivered.push(item);
        continue;
      }
      const { id } = item.prepared;
      if (id === null) this.#pruneRisk ??= 'the id of a rejected record is unknown';
      else rejectedIds.push(id);
      this.#reject(rejectionOf(item, problems));
    }
    if (this.#options.prune && rejectedIds.length > 0) await session.list(rejectedIds);
    if (deliveries.length === 0) return;
    const outcomes = await (this.#isCheck
      ? session.preview(deliveries, seals)
      : session.deliver(deliveries, seals));
    this.#hidden.add(session.takeHidden());
    const changed = deliveries.filter((_, i) => /^(?:created|updated)$/.test(outcomes[i]!));
    await this.#isrcs.add(changed);
    for (const [i, outcome] of outcomes.entries()) {
      const [item, delivery] = [delivered[i]!, deliveries[i]!];
      if (outcome === 'duplicate') {
        const first = this.#firstPlaces.get(delivery.id);
        const isMapped = (this.#reading?.mapping ?? null) !== null;
        this.#reject(duplicateRejection(item, delivery, first, isMapped));
      } else if (outcome === 'foreign') {
        const owner = (await this.#options.catalog.trackRecord(delivery.id))?.source;
        this.#reject(foreignRejection(item, owner));
      } else if (outcome === 'crowded') {
        this.#reject(crowdedRejection(item, delivery));
      } else {
        this.#rememberPlace(delivery.id, item);
        this.#summary[outcome]++;
        if (outcome === 'created') await this.#noteSameAudio(item, delivery);
      }
    }
  }

  /** Notes that a new track has the audio of another one: its file may only have been moved. */
  async #noteSameAudio(item: Item, { id, audioKey }: TrackDelivery): Promise<void> {
    if (audioKey === null) return;
    const first = await this.#options.catalog.firstOfAudio(audioKey);
    if (first === undefined || first.id === id) return;
    this.#notes.add(
      'same',
      item,
      `has the same audio as the track ${first.slug}, and is another one`,
    );
  }

  #rememberPlace(id: string, { file, line }: Item): void {
    const places = this.#firstPlaces;
    // An equal record of the track may come again.
    if (line !== null && places.size < MAX_PLACES && !places.has(id))
      places.set(id, { file, line });
  }

  /** Returns how many tracks the prune withdraws; undefined in the check of a strict import. */
  async #prune(source: string, session: DeliverySession): Promise<number | undefined> {
    const { onNote, onPruneRefused, pruneLimit, dryRun = false } = this.#options;
    if (this.#pruneRisk !== null) {
      onNote?.(`nothing was withdrawn: ${this.#pruneRisk}`);
      return 0;
    }
    const absent = await session.countAbsent(source);
    const refusal = pruneRefusal(source, absent, this.#liveBefore, pruneLimit);
    if (refusal !== undefined) {
      this.wasPruneRefused = true;
      const effect = dryRun ? '--prune would be refused: it' : 'nothing was withdrawn: --prune';
      onPruneRefused?.(`${effect} would withdraw ${refusal}`);
      return dryRun ? absent : 0;
    }
    if (this.#isCheck) return dryRun ? absent : undefined;
    return session.withdrawAbsent(source);
  }

  #noteCatalog(): void {
    const isrcs = this.#isrcs.text();
    const notes = [...(isrcs === undefined ? [] : [isrcs]), ...this.#hidden.lines()];
    for (const note of notes) this.#options.onNote?.(note);
  }

  /** Returns how many delivered tracks stay down, and names them in a note. */
  async #countDown(session: DeliverySession): Promise<number> {
    const { count, slugs } = await session.takenDown(MAX_SLUGS);
    if (count > 0 && !this.#isRepeated) {
      const more = count > slugs.length ? ` and ${count - slugs.length} more` : '';
      this.#options.onNote?.(
        `${count} of the tracks ${count === 1 ? 'stays down, because it was' : 'stay down, because they were'} taken down: ${slugs.join(', ')}${more} (\`stave tracks restore\` brings one back)`,
      );
    }
    return count;
  }

  /** Whether this is the check of a strict import, after which the same is found again. */
  get #isRepeated(): boolean {
    return this.#isCheck && this.#options.strict === true && this.#options.dryRun !== true;
  }

  #reject(rejection: Rejection): void {
    this.#summary.rejected++;
    this.#options.onRejection?.(rejection, this.#reading);
  }
}
