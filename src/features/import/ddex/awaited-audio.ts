import type { TrackMessage } from '../../catalog/track-messages.ts';
import type { Cover } from './message-items.ts';
import type { RecordingRecord } from './records.ts';

/** The most recordings that wait at once, and their characters as JSON, because they are held in memory. */
const MAX_WAITING = 10_000;
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** A recording whose newest message does not contain its audio, as an update of metadata. */
export interface Waiting {
  recording: RecordingRecord;
  /** The path of the message. */
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
    const characters = charactersOf(waiting);
    if (this.#waiting.size >= MAX_WAITING || this.#characters + characters > MAX_CHARACTERS) {
      return false;
    }
    this.#characters += characters;
    this.#waiting.set(trackId, waiting);
    return true;
  }

  /** Gives a recording that waits a cover, if it has none. */
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
      this.#characters -= charactersOf(waiting);
    }
    return waiting;
  }

  /** Returns those that still wait. */
  left(): IterableIterator<[string, Waiting]> {
    return this.#waiting.entries();
  }
}

function charactersOf({ recording }: Waiting): number {
  return JSON.stringify(recording).length;
}
