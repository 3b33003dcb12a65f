/** Work that one node at a time may do goes by a lease: whoever holds it works, and renews it meanwhile. */
export interface LeaseStore {
  /**
   * Takes or renews the lease for so many milliseconds, where nobody else holds it; whether it is ours.
   * By the store's own clock, so that those of nodes do not matter.
   */
  acquire(name: string, holder: string, ms: number): Promise<boolean>;
  /** Gives it up, where it is ours. */
  release(name: string, holder: string): Promise<void>;
}

/** How leases are held; the defaults let another node take over within half a minute. */
export interface LeaseOptions {
  leases: LeaseStore;
  name: string;
  /** Different for every process and thread. */
  holder: string;
  /** For how long it is taken; a third of that between two renewals. */
  ms?: number;
  /** Called once whenever the lease has become ours; the signal aborts when it is ours no longer. */
  onHeld: (signal: AbortSignal) => void;
  /** Told of each failure to ask; it is asked again. */
  onError: (error: unknown) => void;
}

/**
 * Tries to hold a lease for as long as it runs. Who cannot renew in time gives up by its own
 * monotonic clock before the lease is over, so that no two nodes work at once.
 */
export class Lease {
  readonly #options: Required<LeaseOptions>;
  #timer: NodeJS.Timeout | undefined;
  #work: AbortController | undefined;
  #ending: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;

  constructor(options: LeaseOptions) {
    this.#options = { ms: 30_000, ...options };
  }

  /** Whether it is ours now. */
  get isHeld(): boolean {
    return this.#work !== undefined;
  }

  /** Asks at once, and then again and again. The timers do not keep the process alive. */
  start(): void {
    this.#timer = setInterval(() => this.#ask(), this.#options.ms / 3).unref();
    this.#ask();
  }

  /** Asks no more, and gives the lease up, so that another node need not wait for its end. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    clearInterval(this.#timer);
    const held = this.isHeld;
    this.#lose();
    await this.#running;
    const { leases, name, holder, onError } = this.#options;
    if (held) await leases.release(name, holder).catch(onError);
  }

  #ask(): void {
    this.#running = this.#running.then(async () => {
      if (this.#isStopped) return;
      const { leases, name, holder, ms, onHeld, onError } = this.#options;
      // Counted from before the question: the answer may have been long on its way.
      const askedAt = performance.now();
      try {
        if (!(await leases.acquire(name, holder, ms))) {
          this.#lose();
          return;
        }
      } catch (error) {
        onError(error);
        return;
      }
      clearTimeout(this.#ending);
      const left = askedAt + (ms * 2) / 3 - performance.now();
      this.#ending = setTimeout(() => this.#lose(), Math.max(0, left)).unref();
      if (this.#work === undefined && !this.#isStopped) {
        this.#work = new AbortController();
        onHeld(this.#work.signal);
      }
    });
  }

  #lose(): void {
    clearTimeout(this.#ending);
    this.#work?.abort();
    this.#work = undefined;
  }
}

/**
 * Does work that one node at a time may do, once it is this one's turn. Who holds the lease already
 * is waited for; one that died, for as long as the lease is.
 */
export async function whileHeld<T>(
  options: Omit<LeaseOptions, 'onHeld'>,
  work: () => Promise<T>,
): Promise<T> {
  const { promise: held, resolve } = Promise.withResolvers<void>();
  const lease = new Lease({ ...options, onHeld: () => resolve() });
  lease.start();
  try {
    await held;
    return await work();
  } finally {
    await lease.stop();
  }
}
