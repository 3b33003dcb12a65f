import { dirname } from 'node:path';
import { derivedId } from '../../../common/ids.ts';
import { counted } from '../../../common/text/counted.ts';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import type { CatalogStore } from '../../catalog/catalog-stores.ts';
import type { TrackType } from '../../catalog/track.ts';
import {
  MAX_TRACKS,
  type TrackMessage,
  type TrackMessageStore,
} from '../../catalog/track-messages.ts';
import { type Prepared, trackMaker } from '../canonical/track.ts';
import { canonicalIsrc } from '../canonical/values.ts';
import { readBytes } from '../decode/bytes.ts';
import { UnreadableError } from '../decode/decoded.ts';
import { findFile } from '../files/found-file.ts';
import type { Item, Rejection } from '../item.ts';
import { type Batch, NOTHING } from '../item.ts';
import { describe } from '../record.ts';
import { type Message, readMessage } from './message.ts';
import type { MessageFile } from './message-files.ts';
import {
  AwaitedAudio,
  type Cover,
  MessageOrder,
  Purges,
  purgeIds,
  type Waiting,
} from './message-order.ts';
import { placesOf } from './recording.ts';
import type { RecordingRecord } from './records.ts';
import { recordsOf } from './records.ts';

/** How many recordings go through the phases together. */
const BATCH_SIZE = MAX_TRACKS;

/** What an import of messages needs. */
export interface MessageOptions {
  source: string;
  type?: TrackType | undefined;
  catalog: Pick<CatalogStore, 'trackAudio'>;
  media: Pick<MediaStore, 'stat'>;
  trackMessages: Pick<TrackMessageStore, 'sentAt' | 'tracksOf'>;
  /** Decides which deals have ended. */
  now: number;
  onRead: (bytes: number) => void;
  onNote: (note: string) => void;
}

/**
 * Yields the tracks of messages of one source, in batches. The newest message that lists a recording decides about it,
 * so the messages are read from the newest to the oldest.
 */
export async function* messageBatches(
  messages: readonly MessageFile[],
  options: MessageOptions,
): AsyncGenerator<Batch> {
  const walk = new MessageWalk(options);
  const ordered = [...messages].sort(newestFirst);
  for (const [i, message] of ordered.entries()) {
    yield* walk.read(message, i === ordered.length - 1);
  }
  yield* walk.end();
}

/** A message without a date counts as the oldest. */
function newestFirst(one: MessageFile, other: MessageFile): number {
  const byDate = (other.header.createdAt ?? -Infinity) - (one.header.createdAt ?? -Infinity);
  return byDate || (one.path < other.path ? -1 : 1);
}

class MessageWalk {
  readonly #options: MessageOptions;
  readonly #items: MessageItems;
  readonly #order: MessageOrder;
  readonly #purges = new Purges();
  readonly #awaited = new AwaitedAudio();
  /** Whether the message that is read is the oldest. */
  #isLast = false;
  #withoutDeal = 0;
  #firstWithoutDeal = '';

  constructor(options: MessageOptions) {
    this.#options = options;
    this.#items = new MessageItems(options);
    this.#order = new MessageOrder(options);
  }

  async *read(file: MessageFile, isLast: boolean): AsyncGenerator<Batch> {
    this.#isLast = isLast;
    const { onRead, onNote } = this.#options;
    if (file.header.isTest) {
      onNote(`${file.path}: the sender marks this message as a test (TestMessage)`);
    }
    let message: Message;
    try {
      message = await readMessage(readBytes(file.file, onRead));
    } catch (error) {
      if (error instanceof UnreadableError) {
        const line = error.position > 0 ? error.position : null;
        yield batch({ rejections: [rejection(file.path, line, error.message)] });
        return;
      }
      throw error;
    }
    if (message.unknownTerritories.size > 0) {
      const territories = [...message.unknownTerritories].map(describe).join(', ');
      onNote(
        `${file.path}: deals for what is no country of ISO 3166-1 were left out: ${territories}`,
      );
    }
    if (message.purged.length > 0) {
      yield* this.#purge(file.path, message);
    } else if (message.recordings.length === 0) {
      const reason = 'the message has no sound recording; no tracks were read';
      yield batch({ rejections: [rejection(file.path, null, reason)] });
    } else {
      yield* this.#release(file.path, message);
    }
  }

  /** Tells what was passed over, and rejects purges of releases that no message describes. */
  async *end(): AsyncGenerator<Batch> {
    const { onNote } = this.#options;
    for (const waiting of inBatches(this.#awaited.left())) {
      const items = await Promise.all(
        waiting.map(([id, { path, recording, cover }]) =>
          this.#items.of(path, { recording, id, cover }),
        ),
      );
      yield batch({ items, messages: waiting.map(([, { message }]) => message) });
    }
    this.#order.tell(onNote);
    if (this.#withoutDeal > 0) {
      const what = counted(this.#withoutDeal, 'recording has', 'recordings have');
      onNote(
        `${what} no deal that applies now or later, the first in ${this.#firstWithoutDeal}: their tracks are withdrawn, or not created`,
      );
    }
    yield batch({ rejections: this.#purges.rejections() });
  }

  async *#release(path: string, message: Message): AsyncGenerator<Batch> {
    const { header } = message;
    const cover = await this.#items.coverOf(path, message.cover);
    const decided: string[] = [];
    for (const recordings of inBatches(recordsOf(message, this.#options.now))) {
      const ids = recordings.map(({ externalId }) => this.#idOf(externalId));
      const known = await this.#order.known(ids.filter((id) => id !== undefined));
      const messages = new Map<string, TrackMessage>();
      const items: Item[] = [];
      const withdrawals: string[] = [];
      const passedOver: string[] = [];
      for (const [i, recording] of recordings.entries()) {
        const id = ids[i];
        const isPurged = this.#purges.concern(recording.releases);
        const place = `${path}:${recording.line}`;
        if (id !== undefined && this.#order.isPassedOver(id, { header, known, place, isPurged })) {
          passedOver.push(id);
          this.#awaited.offer(id, cover);
          const completed = await this.#complete(id, { recording, path });
          if (completed !== undefined) {
            items.push(completed.item);
            messages.set(id, completed.message);
          }
          continue;
        }
        if (id !== undefined) {
          messages.set(id, this.#order.decision(id, header, recording.releases));
        }
        const isWithdrawn = recording.record === undefined || isPurged;
        if (isWithdrawn && id !== undefined && isIdentified(recording)) {
          withdrawals.push(id);
          if (!isPurged) {
            this.#withoutDeal++;
            this.#firstWithoutDeal ||= place;
          }
        } else if (id !== undefined && (await this.#mayWait(id, recording))) {
          const message = messages.get(id)!;
          if (this.#awaited.add(id, { recording, path, cover, message })) {
            messages.delete(id);
            decided.push(id);
          } else {
            items.push(await this.#items.of(path, { recording, id, cover }));
          }
        } else {
          items.push(await this.#items.of(path, { recording, id, cover }));
        }
      }
      decided.push(...messages.keys());
      yield batch({ items, withdrawals, passedOver, messages: [...messages.values()] });
    }
    this.#order.settle(decided);
  }

  /** Whether an older message may have the audio of a recording: this one and the track have none. */
  async #mayWait(id: string, { files, problems }: RecordingRecord): Promise<boolean> {
    const isAsked = !this.#isLast && files.length === 0 && problems.length === 0;
    return isAsked && ((await this.#options.catalog.trackAudio(id))?.audioKey ?? null) === null;
  }

  /** Gives a recording that waits the audio of an older message. Returns undefined if it does not wait, or gets none. */
  async #complete(
    id: string,
    { recording, path }: Pick<Waiting, 'recording' | 'path'>,
  ): Promise<{ item: Item; message: TrackMessage } | undefined> {
    if (recording.files.length === 0) {
      return undefined;
    }
    const waiting = this.#awaited.take(id);
    if (waiting === undefined) {
      return undefined;
    }
    const newest = { ...waiting.recording, files: recording.files };
    const item = await this.#items.of(path, { recording: newest, id, cover: waiting.cover });
    return { item: { ...item, file: waiting.path }, message: waiting.message };
  }

  /**
   * Withdraws the recordings that a purge names by ISRC, and those whose last message was of its release. Remembers the
   * release for the older messages of this import.
   */
  async *#purge(file: string, { header, purged }: Message): AsyncGenerator<Batch> {
    for (const { line, ids: given, isrcs } of purged) {
      const ids = purgeIds(given);
      const purge = { file, line, ids, isKnown: isrcs.length > 0 };
      const withdrawn = (known: ReadonlyMap<string, number>, trackIds: readonly string[]) => {
        const compared = { header, known, place: `${file}:${line}`, isPurged: true };
        const left = trackIds.filter((id) => !this.#order.isPassedOver(id, compared));
        this.#order.settle(left);
        const messages = left.map((id) => this.#order.decision(id, header, ids));
        return batch({ withdrawals: left, messages });
      };
      const named = isrcs.map((isrc) => this.#idOf(canonicalIsrc(isrc, () => {}) || isrc)!);
      for (const trackIds of inBatches(new Set(named))) {
        yield withdrawn(await this.#order.known(trackIds), trackIds);
      }
      for await (const known of this.#order.tracksOf(ids)) {
        purge.isKnown = true;
        yield withdrawn(known, [...known.keys()]);
      }
      this.#purges.add(purge);
    }
  }

  #idOf(externalId: string | undefined): string | undefined {
    return externalId === undefined
      ? undefined
      : derivedId('track', this.#options.source, externalId.normalize('NFC').trim());
  }
}

/** Other problems of a recording do not matter if its track is withdrawn. */
function isIdentified({ problems }: RecordingRecord): boolean {
  return !problems.some(({ field }) => field === 'externalId');
}

function batch(content: Partial<Batch>): Batch {
  return { ...NOTHING, ...content };
}

function rejection(file: string, line: number | null, reason: string): Rejection {
  return { file, line, field: '', reason };
}

function* inBatches<T>(all: Iterable<T>): Generator<T[]> {
  let some: T[] = [];
  for (const one of all) {
    some.push(one);
    if (some.length === BATCH_SIZE) {
      yield some;
      some = [];
    }
  }
  if (some.length > 0) {
    yield some;
  }
}

/** Makes items of the recordings of messages. */
export class MessageItems {
  readonly #media: Pick<MediaStore, 'stat'>;
  readonly #toTrack: (value: unknown) => Prepared;

  constructor({
    source,
    type = 'music',
    media,
  }: {
    source: string;
    type?: TrackType | undefined;
    media: Pick<MediaStore, 'stat'>;
  }) {
    this.#media = media;
    this.#toTrack = trackMaker({ source, type });
  }

  /** Makes an item of a recording. `path` is that of the message with its audio. */
  async of(
    path: string,
    {
      recording,
      id,
      cover,
    }: { recording: RecordingRecord; id: string | undefined; cover: Cover | undefined },
  ): Promise<Item> {
    const folder = dirname(path);
    const audio = await this.#placeOf(folder, recording.files[0]);
    const prepared = this.#prepare(recording, { audio, artwork: cover?.place }, id);
    const made = { prepared, folder, picture: null, isRead: false };
    return { file: path, line: recording.line, ...made, artworkFolder: cover?.folder };
  }

  /** Returns the cover of a message; undefined if it has none. */
  async coverOf(path: string, cover: string | undefined): Promise<Cover | undefined> {
    const folder = dirname(path);
    const place = await this.#placeOf(folder, cover);
    return place === undefined ? undefined : { folder, place };
  }

  /** Returns the first place where a file is; without one, where the message says it is. */
  async #placeOf(folder: string, path: string | undefined): Promise<string | undefined> {
    if (path === undefined) {
      return undefined;
    }
    for (const place of placesOf(path)) {
      if (!('problem' in (await findFile(folder, place, this.#media)))) {
        return place;
      }
    }
    return path;
  }

  #prepare(
    { record, problems }: RecordingRecord,
    files: { audio: string | undefined; artwork: string | undefined },
    id: string | undefined,
  ): Prepared {
    const prepared = record === undefined ? undefined : this.#toTrack({ ...record, ...files });
    if (problems.length === 0 && prepared !== undefined) {
      return prepared;
    }
    const fields = new Set(problems.map(({ field }) => field));
    const others = prepared?.problems?.filter(({ field }) => !fields.has(field)) ?? [];
    return { delivery: null, id: id ?? null, problems: [...problems, ...others] };
  }
}
