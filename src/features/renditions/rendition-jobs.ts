import { setTimeout as sleep } from 'node:timers/promises';
import type { Change, ChangeLog } from '../../engines/change-log/change-log.ts';
import { Follower } from '../../engines/change-log/follower.ts';
import { type RenditionName, renditionsOf, type TrackSound } from './rendition.ts';
import type { RenditionStore } from './store/rendition-store.ts';

/** The tracks of one step. Each has up to three renditions, and a step adds at most 1,024. */
const SLICE = 340;
/** The pause of the walk after each step, as a multiple of the time of the step: imports and requests come first. */
const REST = 1;
const RETRY_MS = 1_000;
const POLL_MS = 1_000;
/** The time from dropping jobs to the next walk of all tracks. */
const AGAIN_MS = 60_000;

export interface RenditionJobsOptions {
  store: RenditionStore;
  changes: ChangeLog;
  /** How often the change log is read. Default: a second. Requests do not wait for it. */
  pollMs?: number;
  onAdded?: () => void;
  /** The jobs that a track needs. Default: its renditions. */
  namesOf?: (sound: TrackSound) => RenditionName[];
  /** Called with the sounds of each step, after their jobs were added. */
  onSounds?: (sounds: readonly TrackSound[]) => Promise<void>;
  /** Called for each failure. The work is then repeated unless this throws. */
  onError: (error: unknown, what: string) => void;
}

/**
 * Adds jobs for all live tracks with audio, and then for tracks that change. Drops the jobs of tracks that are no longer
 * live. Never works in the transactions of imports.
 */
export class RenditionJobs {
  readonly #options: Required<RenditionJobsOptions>;
  /** When to walk all tracks again, by performance.now(); undefined if that is not needed. */
  #walkAgainAt: number | undefined;

  constructor(options: RenditionJobsOptions) {
    this.#options = {
      pollMs: POLL_MS,
      onAdded: () => {},
      namesOf: renditionsOf,
      onSounds: async () => {},
      ...options,
    };
  }

  /** Works until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { changes, pollMs, onError } = this.#options;
    const head = await this.#untilDone(signal, () => changes.head());
    if (head === undefined) return;
    const follower = new Follower({
      log: changes,
      entities: ['track'],
      from: head,
      apply: (batch) => this.#apply(batch),
      pollMs,
      batchSize: SLICE,
      onError: (error) => onError(error, 'following tracks for previews'),
    });
    try {
      const unmade = await this.#untilDone(signal, () => this.#options.store.unmade());
      // Tracks of queued jobs may have been taken down meanwhile.
      if (unmade !== undefined && unmade.queued > 0) {
        await this.#walk(signal, async ({ silent }) => {
          await this.#options.store.dropQueued(silent);
        });
      }
      follower.start();
      await this.addMissing(signal);
      while (!signal.aborted) {
        await sleep(pollMs, undefined, { signal, ref: false }).catch(() => {});
        if (performance.now() >= (this.#walkAgainAt ?? Number.POSITIVE_INFINITY)) {
          this.#walkAgainAt = undefined;
          await this.addMissing(signal);
        }
      }
    } finally {
      await follower.stop();
    }
  }

  /** Adds the jobs of all live tracks that have none. Repeats what fails until the signal aborts. */
  async addMissing(signal: AbortSignal): Promise<void> {
    await this.#walk(signal, ({ sounds }) => this.#add(sounds));
  }

  async #apply(changes: readonly Change[]): Promise<void> {
    const { store } = this.#options;
    const ids = [...new Set(changes.map(({ entityId }) => entityId))];
    const dropped = await store.dropQueued(await store.silentAudio(ids));
    // Another track may have the same audio.
    if (dropped > 0) this.#walkAgainAt ??= performance.now() + AGAIN_MS;
    await this.#add(await store.soundsOf(ids));
  }

  async #add(sounds: readonly TrackSound[]): Promise<void> {
    const { store, namesOf, onAdded, onSounds } = this.#options;
    const names = sounds.flatMap(namesOf);
    if (names.length > 0 && (await store.add(names)) > 0) onAdded();
    if (sounds.length > 0) await onSounds(sounds);
  }

  async #walk(signal: AbortSignal, visit: (slice: Slice) => Promise<void>): Promise<void> {
    const { store } = this.#options;
    for (let rowId = 0; ; ) {
      const startedAt = performance.now();
      const slice = await this.#untilDone(signal, async () => {
        const found = await store.soundsAfter(rowId, SLICE);
        if (found !== undefined) await visit(found);
        return found;
      });
      if (slice === undefined) return;
      rowId = slice.lastRowId;
      const rest = (performance.now() - startedAt) * REST;
      await sleep(rest, undefined, { signal }).catch(() => {});
    }
  }

  /** Repeats a task until it succeeds. Resolves with undefined if the signal aborts before. */
  async #untilDone<T>(signal: AbortSignal, task: () => Promise<T>): Promise<T | undefined> {
    while (!signal.aborted) {
      try {
        return await task();
      } catch (error) {
        this.#options.onError(error, 'adding jobs for previews');
        await sleep(RETRY_MS, undefined, { signal }).catch(() => {});
      }
    }
    return undefined;
  }
}

type Slice = NonNullable<Awaited<ReturnType<RenditionStore['soundsAfter']>>>;
