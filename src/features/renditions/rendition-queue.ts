import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Rendition,
  type RenditionFile,
  type RenditionKind,
  type RenditionName,
  renditionsOf,
  type TrackSound,
} from './rendition.ts';
import type { RenditionStore } from './store/rendition-store.ts';

export type RenditionOutcome =
  | { state: 'done'; file: RenditionFile }
  /** It will not be made. The reason is a sentence for people, without a period. */
  | { state: 'failed'; reason: string }
  | { state: 'pending' };

/** How often awaited renditions are looked up, because any node may make them. */
const POLL_MS = 250;
/** Requests for further renditions put them first, and get `pending`. */
const MAX_AWAITED = 200;

interface Awaited {
  name: RenditionName;
  /** When the longest wait ends, by performance.now(). */
  untilMs: number;
  outcome: Promise<RenditionOutcome>;
}

/** Puts the renditions that requests need before others, and waits for them. */
export class RenditionQueue {
  readonly #store: RenditionStore;
  readonly #wake: () => void;
  readonly #awaited = new Map<string, Awaited>();
  readonly #stopping = new AbortController();

  /** @param options.wake called for each new job, so that this node may begin it at once */
  constructor({ store, wake = () => {} }: { store: RenditionStore; wake?: () => void }) {
    this.#store = store;
    this.#wake = wake;
    // Each wait adds a listener.
    setMaxListeners(0, this.#stopping.signal);
  }

  /**
   * Returns a rendition of a track with audio, without waiting for it. Rejects if the store is unavailable.
   * @param kind one of `renditionsOf`
   */
  async find(sound: TrackSound, kind: RenditionKind): Promise<RenditionOutcome> {
    const rendition = await this.#store.find(nameOf(renditionsOf(sound), kind));
    return (await this.#outcome(rendition)) ?? { state: 'pending' };
  }

  /**
   * Like `find`, but if the rendition does not exist, puts all renditions of the audio first, and waits.
   * @param waitMs how long to wait, in milliseconds; 0 only puts it first
   * @param gone ends the wait: the outcome is `pending`
   */
  async ensure(
    sound: TrackSound,
    kind: RenditionKind,
    waitMs: number,
    gone?: AbortSignal,
  ): Promise<RenditionOutcome> {
    const names = renditionsOf(sound);
    const name = nameOf(names, kind);
    const known = await this.#outcome(await this.#store.find(name));
    if (known !== undefined) return known;
    if (gone?.aborted || this.#stopping.signal.aborted) return { state: 'pending' };
    const place = `${name.audioKey} ${kind} ${name.variant}`;
    const untilMs = performance.now() + waitMs;
    let awaited = this.#awaited.get(place);
    if (awaited === undefined) {
      if (this.#awaited.size >= MAX_AWAITED) {
        await this.#putFirst(names);
        return { state: 'pending' };
      }
      const outcome = this.#request(names, place).finally(() => this.#awaited.delete(place));
      awaited = { name, untilMs, outcome };
      this.#awaited.set(place, awaited);
    }
    awaited.untilMs = Math.max(awaited.untilMs, untilMs);
    return this.#unlessOver(awaited.outcome, waitMs, gone);
  }

  /** Ends all waits: they become `pending`. */
  stop(): void {
    this.#stopping.abort();
  }

  async #putFirst(names: readonly RenditionName[]): Promise<void> {
    await this.#store.request(names);
    this.#wake();
  }

  /** Queues the renditions, and waits for the one at the place until all its waits have ended. */
  async #request(names: readonly RenditionName[], place: string): Promise<RenditionOutcome> {
    await this.#putFirst(names);
    for (;;) {
      const { name, untilMs } = this.#awaited.get(place)!;
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0 || this.#stopping.signal.aborted) return { state: 'pending' };
      await this.#pending(Math.min(POLL_MS, leftMs), this.#stopping.signal);
      const outcome = await this.#outcome(await this.#store.find(name));
      if (outcome !== undefined) return outcome;
    }
  }

  /** Returns the outcome, or `pending` after a time, or when this wait or all waits end. */
  async #unlessOver(
    outcome: Promise<RenditionOutcome>,
    waitMs: number,
    gone: AbortSignal | undefined,
  ): Promise<RenditionOutcome> {
    const done = new AbortController();
    const ends = [this.#stopping.signal, done.signal, ...(gone === undefined ? [] : [gone])];
    try {
      return await Promise.race([outcome, this.#pending(waitMs, AbortSignal.any(ends))]);
    } finally {
      done.abort();
    }
  }

  /** Resolves after a time, or when the signal aborts. */
  async #pending(ms: number, signal: AbortSignal): Promise<RenditionOutcome> {
    await sleep(ms, undefined, { signal, ref: false }).catch(() => {});
    return { state: 'pending' };
  }

  /** Undefined while the outcome is open. */
  async #outcome(rendition: Rendition | undefined): Promise<RenditionOutcome | undefined> {
    if (rendition === undefined) return undefined;
    const { state, file, error, format } = rendition;
    if (file !== null) return { state: 'done', file };
    if (state === 'failed') return { state, reason: error ?? 'it cannot be decoded' };
    if (state !== 'queued') return undefined;
    const nodes = await this.#store.nodes();
    // Without nodes, one that decodes the format may start.
    const mayDecode = nodes.length === 0 || nodes.some(({ formats }) => formats.includes(format));
    if (mayDecode) return undefined;
    return { state: 'failed', reason: `no node of this service decodes it: it needs ${format}` };
  }
}

function nameOf(names: readonly RenditionName[], kind: RenditionKind): RenditionName {
  const name = names.find((one) => one.kind === kind);
  if (name === undefined) throw new Error(`no ${kind} is made for this track`);
  return name;
}
