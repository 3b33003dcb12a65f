import { setMaxListeners } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Rendition,
  type RenditionFile,
  type RenditionKind,
  type RenditionName,
  type RenditionNode,
  type RenditionStore,
  renditionsOf,
  type TrackSound,
} from './rendition-store.ts';

/** What a request for a rendition gets. */
export type RenditionOutcome =
  | { state: 'done'; file: RenditionFile }
  /** It will not be made. The reason is a sentence without a period, for people. */
  | { state: 'failed'; reason: string }
  /** It is being made, or waits for that. */
  | { state: 'pending' };

/** How often renditions that requests wait for are looked up. Any node may make them. */
const POLL_MS = 250;
/** How many renditions are waited for at once. Requests for more are told at once that theirs is pending. */
const MAX_AWAITED = 200;
/** How long the nodes that make renditions are remembered. */
const NODES_MS = 5_000;

/** A rendition for which requests wait. */
interface Awaited {
  name: RenditionName;
  /** The end of the longest wait, by performance.now(). */
  untilMs: number;
  outcome: Promise<RenditionOutcome>;
}

/** The renditions that requests need now: puts them before others, and waits for them. */
export class RenditionQueue {
  readonly #store: RenditionStore;
  readonly #wake: () => void;
  readonly #awaited = new Map<string, Awaited>();
  readonly #stopping = new AbortController();
  #nodes: { at: number; known: Promise<RenditionNode[]> } | undefined;

  /** @param options.wake is called when there is a new job, so that this node may begin it at once. */
  constructor({ store, wake = () => {} }: { store: RenditionStore; wake?: () => void }) {
    this.#store = store;
    this.#wake = wake;
    // One for each wait.
    setMaxListeners(0, this.#stopping.signal);
  }

  /**
   * Returns a rendition of a track with audio. If it does not exist, puts what is made of the audio before all that
   * nobody requested, and waits. Rejects if the store is unavailable.
   * @param kind one that is made for the track (`renditionsOf`), and not imported
   * @param waitMs how long to wait, in milliseconds
   */
  async ensure(sound: TrackSound, kind: RenditionKind, waitMs: number): Promise<RenditionOutcome> {
    const names = renditionsOf(sound);
    const name = names.find((one) => one.kind === kind);
    if (name === undefined) throw new Error(`no ${kind} is made for this track`);
    const known = await this.#outcome(await this.#store.find(name));
    if (known !== undefined) return known;
    const place = `${name.audioKey} ${kind} ${name.variant}`;
    const untilMs = performance.now() + waitMs;
    let awaited = this.#awaited.get(place);
    if (awaited === undefined) {
      if (this.#awaited.size >= MAX_AWAITED) return { state: 'pending' };
      const outcome = this.#request(names, place).finally(() => this.#awaited.delete(place));
      awaited = { name, untilMs, outcome };
      this.#awaited.set(place, awaited);
    }
    awaited.untilMs = Math.max(awaited.untilMs, untilMs);
    return Promise.race([awaited.outcome, this.#pending(waitMs)]);
  }

  /** Ends all waits: they become `pending`. */
  stop(): void {
    this.#stopping.abort();
  }

  /** Queues the renditions, and waits for the one at the place until all waits for it have ended. */
  async #request(names: readonly RenditionName[], place: string): Promise<RenditionOutcome> {
    await this.#store.request(names);
    this.#wake();
    for (;;) {
      const { name, untilMs } = this.#awaited.get(place)!;
      const leftMs = untilMs - performance.now();
      if (leftMs <= 0 || this.#stopping.signal.aborted) return { state: 'pending' };
      await this.#pending(Math.min(POLL_MS, leftMs));
      const outcome = await this.#outcome(await this.#store.find(name));
      if (outcome !== undefined) return outcome;
    }
  }

  /** Resolves after a time, or when the waits are ended. */
  async #pending(ms: number): Promise<RenditionOutcome> {
    await sleep(ms, undefined, { signal: this.#stopping.signal, ref: false }).catch(() => {});
    return { state: 'pending' };
  }

  /** Returns undefined while the outcome is open. */
  async #outcome(rendition: Rendition | undefined): Promise<RenditionOutcome | undefined> {
    if (rendition === undefined) return undefined;
    const { state, file, error, format } = rendition;
    if (file !== null) return { state: 'done', file };
    if (state === 'failed') return { state, reason: error ?? 'it cannot be decoded' };
    if (state !== 'queued') return undefined;
    const nodes = await this.#liveNodes();
    // Without a node, one that decodes it may come.
    if (nodes.length === 0 || nodes.some(({ formats }) => formats.includes(format))) {
      return undefined;
    }
    return { state: 'failed', reason: `no node of this service decodes it: it needs ${format}` };
  }

  #liveNodes(): Promise<RenditionNode[]> {
    const now = performance.now();
    if (this.#nodes === undefined || now - this.#nodes.at > NODES_MS) {
      this.#nodes = { at: now, known: this.#store.nodes() };
      this.#nodes.known.catch(() => {
        this.#nodes = undefined;
      });
    }
    return this.#nodes.known;
  }
}
