import { unavailable } from '../../../common/errors.ts';
import type { OpenCounts } from '../../../common/memory/open-counts.ts';
import type { Change } from '../../../engines/change-log/change-log.ts';
import type { LogBell, Wake } from '../../../engines/change-log/log-bell.ts';
import type { Readiness } from '../../../engines/http/readiness.ts';
import { CallerGone } from '../../../engines/http/response/errors.ts';

/** The most requests of a client that wait on one node. */
const MAX_OF_CLIENT = 10;
/** How often a waiting request learns that the node has become stale, in milliseconds. */
const STALE_CHECK_MS = 1_000;

export interface Wait {
  /**
   * Resolves with undefined if the request must respond now, because its time is over or the node drains. Otherwise
   * something may have changed: the log after `seq`, or rights. Rejects if the node has become stale or the caller has
   * left.
   */
  next(seq: number, wants: (change: Change) => boolean): Promise<Wake | undefined>;
  end(): void;
}

/** The requests that wait for changes of tracks, on a node or on one of its workers. */
export class LongPolls {
  readonly #bell: LogBell;
  readonly #readiness: Pick<Readiness, 'accepting' | 'draining' | 'reason'>;
  readonly #open: OpenCounts;
  /** The position of each waiting request. */
  readonly #positions = new Map<Wait, number>();
  #staleCheck: NodeJS.Timeout | undefined;

  constructor(deps: {
    bell: LogBell;
    readiness: Pick<Readiness, 'accepting' | 'draining' | 'reason'>;
    /** Counts the waiting requests of each client. */
    open: OpenCounts;
  }) {
    this.#bell = deps.bell;
    this.#open = deps.open;
    this.#readiness = deps.readiness;
  }

  get size(): number {
    return this.#positions.size;
  }

  /** How far the waiting request with the earliest position is behind the catalog, in `seq`; 0 if none is. */
  get behind(): number {
    const earliest = Math.min(this.#bell.position, ...this.#positions.values());
    return this.#bell.position - earliest;
  }

  /** Returns undefined if the client has too many waiting requests. The caller must end what it gets. */
  begin(clientId: string, ms: number, gone: AbortSignal): Wait | undefined {
    const key = `wait ${clientId}`;
    if (!this.#open.enter(key, MAX_OF_CLIENT)) return undefined;
    const over = new AbortController();
    const stop = () => over.abort();
    const timer = setTimeout(stop, ms);
    gone.addEventListener('abort', stop);
    const wait: Wait = {
      next: async (seq, wants) => {
        this.#positions.set(wait, seq);
        const wake = await this.#bell.wait(seq, wants, over.signal);
        if (gone.aborted) throw new CallerGone();
        if (this.#readiness.draining() || over.signal.aborted) return undefined;
        if (!this.#readiness.accepting()) throw unavailable(this.#readiness.reason(), 1);
        return wake;
      },
      end: () => {
        clearTimeout(timer);
        gone.removeEventListener('abort', stop);
        this.#open.leave(key);
        this.#end(wait);
      },
    };
    this.#positions.set(wait, this.#bell.position);
    this.#staleCheck ??= setInterval(() => {
      if (!this.#readiness.accepting()) this.#bell.wakeAll();
    }, STALE_CHECK_MS).unref();
    return wait;
  }

  #end(wait: Wait): void {
    this.#positions.delete(wait);
    if (this.#positions.size > 0) return;
    clearInterval(this.#staleCheck);
    this.#staleCheck = undefined;
  }
}
