import { dirname } from 'node:path';
import { derivedId } from '../../../common/ids.ts';
import { counted } from '../../../common/text/shown.ts';
import { MAX_MESSAGE_TRACKS, type TrackMessage } from '../../catalog/track.ts';
import { trimmed } from '../canonical/text.ts';
import { type Prepared, trackMaker } from '../canonical/track.ts';
import { canonicalIsrc } from '../canonical/values.ts';
import { readBytes } from '../decode/bytes.ts';
import { type Batch, fileRejection, type Item, inBatches, unreadableRejection } from '../item.ts';
import type { ReadContext } from '../options.ts';
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
import { type RecordingRecord, recordsOf } from './records.ts';

/**
 * Yields the tracks of messages of one source, in batches. The newest message that lists a recording decides about it,
 * so the messages are read from the newest to the oldest.
 */
export async function* messageBatches(
  messages: readonly MessageFile[],
  context: ReadContext,
): AsyncGenerator<Batch> {
  const walk = new MessageWalk(context);
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
  readonly #context: ReadContext;
  readonly #now: number;
  readonly #toTrack: ReturnType<typeof trackMaker>;
  readonly #order: MessageOrder;
  readonly #purges = new Purges();
  readonly #awaited = new AwaitedAudio();
  /** Whether the message that is read is the oldest. */
  #isLast = false;
  #withoutDeal = 0;
  #firstWithoutDeal = '';

  constructor(context: ReadContext) {
    const { source, type = 'music', clock, trackMessages } = context;
    this.#context = context;
    this.#now = clock.now();
    this.#toTrack = trackMaker({ source, type });
    this.#order = new MessageOrder(source, trackMessages, this.#now);
  }

  async *read(
    { path, file, header, version }: MessageFile,
    isLast: boolean,
  ): AsyncGenerator<Batch> {
    this.#isLast = isLast;
    if (header.isTest) {
      this.#note(`${path}: the sender marks this message as a test (TestMessage)`);
    }
    if (version.startsWith('3.7')) {
      this.#note(
        `${path}: DDEX ERN ${version} is read as 3.8: check the tracks and their availability`,
      );
    }
    let message: Message;
    try {
      message = await readMessage(readBytes(file, this.#context));
    } catch (error) {
      yield { rejections: [unreadableRejection(path, error)] };
      return;
    }
    if (message.unknownTerritories.size > 0) {
      const territories = [...message.unknownTerritories].map(describe).join(', ');
      this.#note(
        `${path}: deals for what is no country of ISO 3166-1 were left out: ${territories}`,
      );
    }
    if (message.purged.length > 0) {
      yield* this.#purge(path, message);
    } else if (message.recordings.length === 0) {
      const reason = 'the message has no sound recording; no tracks were read';
      yield { rejections: [fileRejection(path, reason)] };
    } else {
      yield* this.#release(path, message);
    }
  }

  /** Notes what was passed over, and rejects purges of releases that no message describes. */
  async *end(): AsyncGenerator<Batch> {
    for await (const waiting of inBatches(this.#awaited.left(), MAX_MESSAGE_TRACKS)) {
      const items = waiting.map(([id, { path, recording, cover }]) =>
        this.#itemOf(path, recording, id, cover),
      );
      const messages = waiting.map(([, { message }]) => message);
      yield { items: await Promise.all(items), messages };
    }
    for (const note of this.#order.notes()) this.#note(note);
    if (this.#withoutDeal > 0) {
      const what = counted(this.#withoutDeal, 'recording has', 'recordings have');
      this.#note(
        `${what} no deal that applies now or later, the first in ${this.#firstWithoutDeal}: their tracks are withdrawn, or not created`,
      );
    }
    yield { rejections: this.#purges.rejections() };
  }

  #note(note: string): void {
    this.#context.onNote?.(note);
  }

  async *#release(path: string, message: Message): AsyncGenerator<Batch> {
    const { header } = message;
    const cover = await this.#coverOf(dirname(path), message.cover?.file);
    const decided: string[] = [];
    for await (const recordings of inBatches(recordsOf(message, this.#now), MAX_MESSAGE_TRACKS)) {
      const ids = recordings.map(({ externalId }) => this.#idOf(externalId));
      const known = await this.#context.trackMessages.sentAt(ids.filter((id) => id !== undefined));
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
        // Other problems of a recording do not matter if its track is withdrawn.
        const isIdentified = !recording.problems.some(({ field }) => field === 'externalId');
        if (isWithdrawn && id !== undefined && isIdentified) {
          withdrawals.push(id);
          if (!isPurged) {
            this.#withoutDeal++;
            this.#firstWithoutDeal ||= place;
          }
          continue;
        }
        const message = id === undefined ? undefined : messages.get(id);
        if (message !== undefined && (await this.#mayWait(message.trackId, recording))) {
          if (this.#awaited.add(message.trackId, { recording, path, cover, message })) {
            messages.delete(message.trackId);
            decided.push(message.trackId);
            continue;
          }
        }
        items.push(await this.#itemOf(path, recording, id, cover));
      }
      decided.push(...messages.keys());
      yield { items, withdrawals, passedOver, messages: [...messages.values()] };
    }
    this.#order.settle(decided);
  }

  /** Whether an older message may have the audio of a recording: this one and the track have none. */
  async #mayWait(id: string, { files, problems }: RecordingRecord): Promise<boolean> {
    const isAsked = !this.#isLast && files.length === 0 && problems.length === 0;
    return isAsked && ((await this.#context.catalog.trackAudio(id))?.audioKey ?? null) === null;
  }

  /** Gives a recording that waits the audio of an older message. Returns undefined if it does not wait, or gets none. */
  async #complete(
    id: string,
    { recording, path }: Pick<Waiting, 'recording' | 'path'>,
  ): Promise<{ item: Item; message: TrackMessage } | undefined> {
    const waiting = recording.files.length === 0 ? undefined : this.#awaited.take(id);
    if (waiting === undefined) return undefined;
    const newest = { ...waiting.recording, files: recording.files };
    const item = await this.#itemOf(path, newest, id, waiting.cover);
    return { item: { ...item, file: waiting.path }, message: waiting.message };
  }

  /** Withdraws the recordings that a purge names, and those whose last message was of its release. */
  async *#purge(file: string, { header, purged }: Message): AsyncGenerator<Batch> {
    for (const { line, ids: given, isrcs } of purged) {
      const ids = purgeIds(given);
      const purge = { file, line, ids, isKnown: isrcs.length > 0 };
      const withdrawn = (known: ReadonlyMap<string, number>, trackIds: readonly string[]) => {
        const compared = { header, known, place: `${file}:${line}`, isPurged: true };
        const left = trackIds.filter((id) => !this.#order.isPassedOver(id, compared));
        this.#order.settle(left);
        const messages = left.map((id) => this.#order.decision(id, header, ids));
        return { withdrawals: left, messages };
      };
      const named = isrcs.map((isrc) => this.#idOf(canonicalIsrc(isrc, () => {}) || isrc)!);
      for await (const trackIds of inBatches(new Set(named), MAX_MESSAGE_TRACKS)) {
        yield withdrawn(await this.#context.trackMessages.sentAt(trackIds), trackIds);
      }
      for await (const known of this.#order.tracksOf(ids)) {
        purge.isKnown = true;
        yield withdrawn(known, [...known.keys()]);
      }
      this.#purges.add(purge);
    }
  }

  async #itemOf(
    path: string,
    { line, files, record, problems }: RecordingRecord,
    id: string | undefined,
    cover: Cover | undefined,
  ): Promise<Item> {
    const folder = dirname(path);
    const item = { file: path, line, folder, picture: null, facts: null };
    const audio = await this.#placeOf(folder, files[0]);
    const whole = record && this.#toTrack({ ...record, audio, artwork: cover?.place });
    const fields = problems.map(({ field }) => field);
    const others = whole?.problems?.filter(({ field }) => !fields.includes(field)) ?? [];
    const prepared: Prepared =
      problems.length === 0 && whole !== undefined
        ? whole
        : { delivery: null, id: id ?? null, problems: [...problems, ...others] };
    return { ...item, prepared, artworkFolder: cover?.folder };
  }

  async #coverOf(folder: string, path: string | undefined): Promise<Cover | undefined> {
    const place = await this.#placeOf(folder, path);
    return place === undefined ? undefined : { folder, place };
  }

  /** Returns the first place where a file is; without one, where the message says it is. */
  async #placeOf(folder: string, path: string | undefined): Promise<string | undefined> {
    for (const place of path === undefined ? [] : placesOf(path)) {
      const found = await this.#context.files.find(folder, place, { withHint: false });
      if (!('problem' in found)) return place;
    }
    return path;
  }

  #idOf(externalId: string | undefined): string | undefined {
    return externalId === undefined
      ? undefined
      : derivedId('track', this.#context.source, trimmed(externalId.normalize('NFC')));
  }
}
