import type { LocalRateLimiter, RateDecision } from '../../access/rate-limiter.ts';
import type { Clock } from '../../kernel/clock.ts';

interface SeenWindow {
  count: number;
  /** On the clock. */
  endsAt: number;
}

/** What was counted here, in one window of a key, and Redis does not know of. */
export interface Debt {
  key: string;
  counted: number;
  /** What the window held over all nodes when Redis was last heard of. */
  before: number;
  /** Milliseconds until the window ends. */
  leftMs: number;
}

/** Told ends of one window differ by what is rounded up to whole seconds. */
const ROUNDING_MS = 1000;

/**
 * Counts while Redis is away. A window that Redis told of goes on with what it held: a client that
 * had used its limit does not get it again. What is counted meanwhile is owed to Redis.
 */
export class StandIn {
  readonly #local: LocalRateLimiter;
  readonly #clock: Clock;
  readonly #windowMs: number;
  /** In the order they were first seen, and so about that of their ends. */
  readonly #seen = new Map<string, SeenWindow>();
  readonly #owed = new Map<string, { counted: number; before: number; endsAt: number }>();
  #total = 0;

  constructor(deps: { local: LocalRateLimiter; clock: Clock; windowMs: number }) {
    this.#local = deps.local;
    this.#clock = deps.clock;
    this.#windowMs = deps.windowMs;
  }

  /** How often it was asked. */
  get total(): number {
    return this.#total;
  }

  /** In how many windows something is owed, those that are over included. */
  get debts(): number {
    return this.#owed.size;
  }

  /** Remembers what Redis told of a window. */
  see(key: string, count: number, leftMs: number): void {
    const now = this.#clock.now();
    const known = this.#seen.get(key);
    if (known !== undefined && this.#isRunning(known, now)) {
      known.count = count;
      known.endsAt = now + leftMs;
      return;
    }
    this.#seen.delete(key);
    for (const [other, window] of this.#seen) {
      if (this.#isRunning(window, now)) {
        break;
      }
      this.#seen.delete(other);
    }
    this.#seen.set(key, { count, endsAt: now + leftMs });
  }

  take(key: string, limit: number): RateDecision {
    this.#total++;
    const now = this.#clock.now();
    const known = this.#seen.get(key);
    const seen = known !== undefined && this.#isRunning(known, now) ? known : undefined;
    const before = seen?.count ?? 0;
    const decision = this.#local.take(key, Math.max(0, limit - before));
    const resetSeconds =
      seen === undefined ? decision.resetSeconds : Math.ceil((seen.endsAt - now) / 1000);
    if (decision.allowed) {
      this.#owe(key, before, now + resetSeconds * 1000);
    }
    return { ...decision, limit, resetSeconds };
  }

  /** Some of what is owed in windows that still run, `most` at most; it is owed no longer. */
  settle(most: number): Debt[] {
    const now = this.#clock.now();
    const debts: Debt[] = [];
    for (const [key, debt] of this.#owed) {
      if (debts.length === most) {
        break;
      }
      this.#owed.delete(key);
      if (this.#isRunning(debt, now)) {
        const { counted, before, endsAt } = debt;
        debts.push({ key, counted, before, leftMs: endsAt - now });
      }
    }
    return debts;
  }

  /** Redis has taken a debt, and told what the window holds with it. */
  settled({ key, counted }: Debt, count: number, leftMs: number): void {
    this.see(key, count, leftMs);
    this.#local.release(key, counted);
  }

  /** Takes a debt back of which it is not known whether Redis has taken it. */
  restore({ key, counted, before, leftMs }: Debt): void {
    const newer = this.#owed.get(key);
    if (newer === undefined) {
      this.#owed.set(key, { counted, before, endsAt: this.#clock.now() + leftMs });
    } else {
      newer.counted += counted;
    }
  }

  #owe(key: string, before: number, endsAt: number): void {
    const debt = this.#owed.get(key);
    if (debt === undefined || endsAt > debt.endsAt + ROUNDING_MS) {
      this.#owed.set(key, { counted: 1, before, endsAt });
      return;
    }
    debt.counted += 1;
    // The earliest of the ends that callers were told: none of them waits longer than it was told.
    debt.endsAt = Math.min(debt.endsAt, endsAt);
  }

  /** A window that ends later than a whole one would, ends so because the clock was set back. */
  #isRunning({ endsAt }: { endsAt: number }, now: number): boolean {
    return now < endsAt && endsAt <= now + this.#windowMs + ROUNDING_MS;
  }
}
