import { derivedId } from '../../../common/ids.ts';
import { counted } from '../../../common/text/counted.ts';
import type { TrackMessage, TrackMessageStore } from '../../catalog/track-messages.ts';
import type { Header } from './message.ts';

/** The message that is read, and the times of the last messages of earlier imports by the ids of tracks. */
interface Comparison {
  header: Header;
  known: ReadonlyMap<string, number>;
  /** The file and the line, for people. */
  place: string;
  /** Whether the message only withdraws: then nobody misses what it says. */
  isPurged: boolean;
}

/** Decides which message counts for a track: the newest one, of this import and of all earlier ones of its source. */
export class MessageOrder {
  readonly #source: string;
  readonly #store: Pick<TrackMessageStore, 'sentAt' | 'tracksOf'>;
  readonly #now: number;
  /** The ids of tracks about which a message of this import has decided. */
  readonly #settled = new Set<string>();
  #passedOver = 0;
  #older = 0;
  #firstOlder = '';

  constructor({
    source,
    trackMessages,
    now,
  }: {
    source: string;
    trackMessages: Pick<TrackMessageStore, 'sentAt' | 'tracksOf'>;
    now: number;
  }) {
    this.#source = source;
    this.#store = trackMessages;
    this.#now = now;
  }

  /** Returns the times of the last messages of earlier imports about these tracks, 100 at most. */
  known(trackIds: readonly string[]): Promise<ReadonlyMap<string, number>> {
    return this.#store.sentAt(trackIds);
  }

  /** Yields the same for all tracks whose last message was of a release with one of these ids. */
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

  /** Returns what is to be recorded of a track about which a message decides. */
  decision(trackId: string, header: Header, releaseIds: readonly string[]): TrackMessage {
    const releases = releaseIds.map((id) => this.#releaseOf(id));
    return { trackId, sentAt: this.#sentAt(header), releases };
  }

  /** Tells what was passed over. */
  tell(onNote: (note: string) => void): void {
    if (this.#passedOver > 0) {
      const what = counted(this.#passedOver, 'recording');
      onNote(`passed over ${what} of older messages that a newer message of this import lists`);
    }
    if (this.#older > 0) {
      const what = counted(this.#older, 'recording');
      onNote(
        `passed over ${what} about which an earlier import had a newer message, the first in ${this.#firstOlder}`,
      );
    }
  }

  /** A message without a date counts as the oldest. One of the future would precede all that follow. */
  #sentAt({ createdAt }: Header): number {
    return Math.min(createdAt ?? 0, this.#now);
  }

  #releaseOf(id: string): string {
    return derivedId('release', this.#source, id);
  }
}
