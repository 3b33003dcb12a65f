import { derivedId } from '../../../common/ids.ts';
import { counted } from '../../../common/text/shown.ts';
import type { TrackMessageStore } from '../../catalog/store/track-message-store.ts';
import type { TrackMessage } from '../../catalog/track.ts';
import { fileRejection, type Rejection } from '../item.ts';
import { describe } from '../record.ts';
import type { Header } from './message.ts';
import type { RecordingRecord } from './records.ts';

/** The message that is read, and the times of the last messages of earlier imports by the ids of tracks. */
interface Comparison {
  header: Header;
  known: ReadonlyMap<string, number>;
  place: string;
  /** Whether the message only withdraws: then nobody misses what it says. */
  isPurged: boolean;
}

/** Decides which message counts for a track: the newest one, of this import and of all earlier ones of its source. */
export class MessageOrder {
  readonly #source: string;
  readonly #store: Pick<TrackMessageStore, 'tracksOf'>;
  readonly #now: number;
  readonly #settled = new Set<string>();
  #passedOver = 0;
  #older = 0;
  #firstOlder = '';

  constructor(source: string, store: Pick<TrackMessageStore, 'tracksOf'>, now: number) {
    this.#source = source;
    this.#store = store;
    this.#now = now;
  }

  /** Yields the times of the last messages of all tracks whose last message was of a release with one of these ids. */
  async *tracksOf(releaseIds: readonly string[]): AsyncGenerator<ReadonlyMap<string, number>> {
    const releases = releaseIds.map((id) => this.#releaseOf(id));
    for (let after = ''; releases.length > 0; ) {
      const tracks = await this.#store.tracksOf(releases, after);
      if (tracks.length === 0) {
        return;
      }
      yield new Map(tracks.map(({ trackId, sentAt }) => [trackId, sentAt]));
      after = tracks.at(-1)!.trackId;
    }
  }

  /** Whether a newer message of this or an earlier import has decided about a track. Counts those for the notes. */
  isPassedOver(trackId: string, { header, known, place, isPurged }: Comparison): boolean {
    if (this.#settled.has(trackId)) {
      this.#passedOver += isPurged ? 0 : 1;
      return true;
    }
    if (this.#sentAt(header) >= (known.get(trackId) ?? 0)) {
      return false;
    }
    this.#older++;
    this.#firstOlder ||= place;
    return true;
  }

  /** Passes these tracks over in the older messages that follow. */
  settle(trackIds: Iterable<string>): void {
    for (const id of trackIds) {
      this.#settled.add(id);
    }
  }

  decision(trackId: string, header: Header, releaseIds: readonly string[]): TrackMessage {
    const releases = releaseIds.map((id) => this.#releaseOf(id));
    return { trackId, sentAt: this.#sentAt(header), releases };
  }

  notes(): string[] {
    const [newer, older] = [this.#passedOver, this.#older];
    const [listed, known] = [counted(newer, 'recording'), counted(older, 'recording')];
    return [
      ...(newer === 0
        ? []
        : [`passed over ${listed} of older messages that a newer message of this import lists`]),
      ...(older === 0
        ? []
        : [
            `passed over ${known} about which an earlier import had a newer message, the first in ${this.#firstOlder}`,
          ]),
    ];
  }

  /** A message without a date counts as the oldest. One of the future would precede all that follow. */
  #sentAt({ createdAt }: Header): number {
    return Math.min(createdAt ?? 0, this.#now);
  }

  #releaseOf(id: string): string {
    return derivedId('release', this.#source, id);
  }
}

interface Purge {
  file: string;
  line: number;
  /** Its ids, such as `ICPN 00094631432057`. */
  ids: readonly string[];
  isKnown: boolean;
}

/** The purges of the messages that were read, which concern the releases of older messages. */
export class Purges {
  readonly #all: Purge[] = [];
  readonly #byId = new Map<string, Purge>();
  readonly #releases = new Set<string>();

  add(purge: Purge): void {
    purge.isKnown ||= purge.ids.some((id) => this.#releases.has(id));
    this.#all.push(purge);
    for (const id of purge.ids) {
      this.#byId.set(id, purge);
    }
  }

  /** Returns whether a release with one of these ids is purged. Remembers that the import knows recordings of it. */
  concern(ids: readonly string[]): boolean {
    const purges = ids.map((id) => this.#byId.get(id)).filter((found) => found !== undefined);
    for (const purge of purges) {
      purge.isKnown = true;
    }
    for (const id of ids) {
      this.#releases.add(id);
    }
    return purges.length > 0;
  }

  rejections(): Rejection[] {
    return this.#all.filter(({ isKnown }) => !isKnown).map(rejectionOf);
  }
}

function rejectionOf({ file, line, ids }: Purge): Rejection {
  const release = ids.length === 0 ? 'no release' : `the release ${describe(ids.join(', '))}`;
  const reason = `the message purges ${release}, of which Stave does not know the recordings: import it together with the last message of the release`;
  return fileRejection(file, reason, line);
}

const UNIQUE = /^(ICPN|GRid) /;

/** Returns the ids that identify a purged release: a catalog number is too weak if there is a better one. */
export function purgeIds(ids: readonly string[]): readonly string[] {
  const unique = ids.filter((id) => UNIQUE.test(id));
  return unique.length > 0 ? unique : ids;
}

/** The most recordings that wait at once, and their characters as JSON, because they are held in memory. */
const MAX_WAITING = 10_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** A recording whose newest message does not contain its audio, as an update of metadata. */
export interface Waiting {
  recording: RecordingRecord;
  path: string;
  /** The cover of the newest message with one. */
  cover: Cover | undefined;
  message: TrackMessage;
}

/** Recordings that wait for an older message of the same import with their audio. A track is delivered only once. */
export class AwaitedAudio {
  readonly #waiting = new Map<string, Waiting>();
  #characters = 0;

  /** Returns false if too many wait already: then the recording is imported without audio. */
  add(trackId: string, waiting: Waiting): boolean {
    const characters = JSON.stringify(waiting.recording).length;
    if (this.#waiting.size >= MAX_WAITING || this.#characters + characters > MAX_CHARACTERS) {
      return false;
    }
    this.#characters += characters;
    this.#waiting.set(trackId, waiting);
    return true;
  }

  offer(trackId: string, cover: Cover | undefined): void {
    const waiting = this.#waiting.get(trackId);
    if (waiting !== undefined) {
      waiting.cover ??= cover;
    }
  }

  /** Returns the recording if it waits, and forgets it. */
  take(trackId: string): Waiting | undefined {
    const waiting = this.#waiting.get(trackId);
    if (waiting !== undefined) {
      this.#waiting.delete(trackId);
      this.#characters -= JSON.stringify(waiting.recording).length;
    }
    return waiting;
  }

  left(): IterableIterator<[string, Waiting]> {
    return this.#waiting.entries();
  }
}

/** The file of a cover: its place, relative to the folder of its message. */
export interface Cover {
  folder: string;
  place: string;
}
