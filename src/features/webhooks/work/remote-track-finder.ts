import {
  deserializeError,
  type SerializedError,
} from '../../../common/threads/serialized-error.ts';
import type { FoundTracks, IndexState, TrackFinder } from '../saved-search-matches.ts';
import type { IndexAnswer, IndexAsk } from './messages.ts';

/** Finds tracks in the index of another thread, which answers its questions. */
export class RemoteTrackFinder implements TrackFinder {
  readonly #ask: (id: number, ask: IndexAsk) => void;
  readonly #asked = new Map<number, PromiseWithResolvers<IndexAnswer>>();
  #lastId = 0;

  /** @param ask sends a question; the answer is to be given to `answered` */
  constructor(ask: (id: number, ask: IndexAsk) => void) {
    this.#ask = ask;
  }

  async state(): Promise<IndexState> {
    return (await this.#answerTo({ kind: 'state' })) as IndexState;
  }

  async find(...[search, request]: Parameters<TrackFinder['find']>): Promise<FoundTracks> {
    return (await this.#answerTo({ kind: 'find', search, request })) as FoundTracks;
  }

  answered(id: number, answer: IndexAnswer | { fault: SerializedError }): void {
    const { resolve, reject } = this.#asked.get(id)!;
    this.#asked.delete(id);
    if ('fault' in answer) reject(deserializeError(answer.fault));
    else resolve(answer);
  }

  #answerTo(ask: IndexAsk): Promise<IndexAnswer> {
    const asked = Promise.withResolvers<IndexAnswer>();
    this.#asked.set(++this.#lastId, asked);
    this.#ask(this.#lastId, ask);
    return asked.promise;
  }
}
