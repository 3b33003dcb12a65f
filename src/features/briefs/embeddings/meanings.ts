import { LRUCache } from 'lru-cache';
import type { Log } from '../../../common/log.ts';
import { BELOW_REQUESTS, LazyThread, ThreadEnded } from '../../../common/threads/thread.ts';
import { type EmbedderChoice, PHRASES_MS } from './embedder.ts';
import type { NearTerm, NearTerms } from './near-terms.ts';
import type { NearThreadData } from './near-thread.ts';

/** What compares phrases with the terms of a vocabulary: `NearTerms`, in another thread. */
export interface NearTermSource {
  prepare(...args: Parameters<NearTerms['prepare']>): Promise<void>;
  nearest(...args: Parameters<NearTerms['nearest']>): ReturnType<NearTerms['nearest']>;
}

/** The time without a brief after which the model is unloaded. */
const IDLE_MS = 10 * 60_000;

/** Has the source in a thread that starts with the service, and again with a brief that needs it. */
export class NearTermThread implements NearTermSource {
  readonly #thread: LazyThread<NearTermSource>;

  constructor(data: NearThreadData) {
    this.#thread = new LazyThread(new URL('./near-thread.ts', import.meta.url), {
      name: 'stave meanings',
      workerData: data,
      lowerBy: BELOW_REQUESTS,
      idleMs: IDLE_MS,
    });
  }

  prepare(key: string, terms: readonly string[]) {
    return this.#thread.call('prepare', key, terms);
  }

  nearest(key: string, phrases: readonly string[]) {
    return this.#thread.call('nearest', key, phrases);
  }

  close(): Promise<void> {
    return this.#thread.close();
  }
}

/**
 * Returns the thread that compares phrases by meaning, of which a process needs one; undefined without a choice.
 *
 * @param path of the file with the vectors of the vocabulary
 */
export function nearTermThread(choice: EmbedderChoice, path: string): NearTermThread | undefined {
  return choice === null ? undefined : new NearTermThread({ choice, path });
}

/** The terms that phrases are compared with. */
export interface Terms {
  /** Equal for equal terms only. */
  key: string;
  terms: readonly string[];
}

/** Further requests that compare phrases at the same time go without. */
const MAX_WAITING = 20;
/** Phrases whose terms are kept, for further pages of a brief. */
const MAX_KEPT = 2_000;
/** The log has a persistent failure once in this time. */
const LOG_INTERVAL_MS = 60_000;

export type EmbeddingsState = 'local' | 'remote' | 'off' | 'unavailable';

/** Compares phrases of briefs with the vocabulary by meaning, if this is on and responds in time. */
export class Meanings {
  readonly counts = { compared: 0, unavailable: 0 };
  readonly #kind: NonNullable<EmbedderChoice>['kind'] | 'off';
  readonly #source: NearTermSource | undefined;
  readonly #log: Log;
  readonly #kept = new LRUCache<string, NearTerm[]>({ max: MAX_KEPT });
  #waiting = 0;
  #loggedAt = Number.NEGATIVE_INFINITY;

  /** @param source undefined if there is no choice */
  constructor(choice: EmbedderChoice, source: NearTermSource | undefined, log: Log) {
    this.#kind = choice?.kind ?? 'off';
    this.#source = choice === null ? undefined : source;
    this.#log = log;
  }

  /** Whether the model knows no other language. Which ones a service knows is up to its operator. */
  get isEnglish(): boolean {
    return this.#kind === 'local';
  }

  /** Prepares the vocabulary, so that the first phrases need not wait for it. Never rejects. */
  async prepare(currentTerms: () => Terms): Promise<void> {
    if (this.#source === undefined) return;
    const { key, terms } = currentTerms();
    if (terms.length === 0) return;
    await this.#source.prepare(key, terms).catch((error: unknown) => {
      if (!(error instanceof ThreadEnded)) this.#report(error);
    });
  }

  /** Returns the nearest terms of each phrase; none if the state is `off` or `unavailable`. Never rejects. */
  async near(
    phrases: readonly string[],
    currentTerms: () => Terms,
  ): Promise<{ state: EmbeddingsState; near: readonly (readonly NearTerm[])[] }> {
    const state = this.#kind;
    if (this.#source === undefined || phrases.length === 0) return { state, near: [] };
    const terms = currentTerms();
    if (terms.terms.length === 0) return { state, near: [] };
    const keyOf = (phrase: string) => `${terms.key} ${phrase}`;
    const wanted = phrases.filter((phrase) => !this.#kept.has(keyOf(phrase)));
    const kept = new Map(phrases.map((phrase) => [phrase, this.#kept.get(keyOf(phrase)) ?? []]));
    if (wanted.length > 0) {
      const found = await this.#compare(this.#source, wanted, terms);
      if (found === undefined) {
        this.counts.unavailable++;
        return { state: 'unavailable', near: [] };
      }
      this.counts.compared++;
      for (const [i, phrase] of wanted.entries()) {
        kept.set(phrase, found[i]!);
        this.#kept.set(keyOf(phrase), found[i]!);
      }
    }
    return { state, near: phrases.map((phrase) => kept.get(phrase)!) };
  }

  /** Returns undefined if this is not possible in time. */
  async #compare(
    source: NearTermSource,
    phrases: readonly string[],
    { key, terms }: Terms,
  ): Promise<NearTerm[][] | undefined> {
    if (this.#waiting >= MAX_WAITING) return undefined;
    this.#waiting++;
    const late = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => late.resolve(undefined), PHRASES_MS);
    const compare = async () => {
      const found = await source.nearest(key, phrases);
      if (found !== null) return found;
      // A vocabulary of many new terms takes longer than a request, and is there for later ones.
      await source.prepare(key, terms);
      return (await source.nearest(key, phrases)) ?? undefined;
    };
    const compared = compare()
      .catch((error: unknown) => this.#report(error))
      .finally(() => {
        this.#waiting--;
      });
    try {
      return await Promise.race([compared, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  #report(error: unknown): undefined {
    if (performance.now() - this.#loggedAt < LOG_INTERVAL_MS) return;
    this.#loggedAt = performance.now();
    this.#log.warn({ err: error }, 'comparing a brief by meaning failed');
  }
}
