import { createHash } from 'node:crypto';
import type { Clock } from '../../common/clock.ts';
import { MemoryRateLimiter } from '../../engines/limits/memory-rate-limiter.ts';

/** Failures per minute of one address with one name. */
const FAILURES_A_MINUTE = 10;
/** Failures per hour with one name, from all addresses. */
const FAILURES_AN_HOUR = 100;
const HOUR_SECONDS = 3_600;

/** The result of a check, or the whole seconds to wait: then nothing was checked. */
export type Throttled = { isRight: boolean } | { waitSeconds: number };

/**
 * Limits wrong passwords. While a limit is reached, no password is checked, also not the right one. Checks that run count
 * as failures until they have ended, so that those at one time do not pass together. The counts are of this process.
 */
export class PasswordThrottle {
  readonly #limits: readonly { limiter: MemoryRateLimiter; most: number }[];
  /** How many checks run, by key. */
  readonly #running = new Map<string, number>();

  constructor({ clock }: { clock: Clock }) {
    this.#limits = [
      { limiter: new MemoryRateLimiter({ clock }), most: FAILURES_A_MINUTE },
      {
        limiter: new MemoryRateLimiter({ clock, windowSeconds: HOUR_SECONDS }),
        most: FAILURES_AN_HOUR,
      },
    ];
  }

  /**
   * Checks a password, unless the limits refuse that. A check that throws counts as none.
   *
   * @param from.network the network of the caller, as `networkOf` returns it
   * @param from.name whose password it is. Another name has counts of its own.
   */
  async try(
    { network, name }: { network: string; name: string },
    check: () => Promise<boolean>,
  ): Promise<Throttled> {
    // They are hashed because a name is arbitrary input, as long as a body may be.
    const keys = [digestOf(`${network} ${name}`), digestOf(name)];
    const waitSeconds = this.#wait(keys);
    if (waitSeconds > 0) return { waitSeconds };
    for (const key of keys) this.#running.set(key, (this.#running.get(key) ?? 0) + 1);
    try {
      const isRight = await check();
      for (const [i, { limiter, most }] of this.#limits.entries()) {
        if (!isRight) limiter.take(keys[i]!, most);
      }
      return { isRight };
    } finally {
      for (const key of keys) {
        const left = this.#running.get(key)! - 1;
        if (left > 0) this.#running.set(key, left);
        else this.#running.delete(key);
      }
    }
  }

  #wait(keys: readonly string[]): number {
    const waits = this.#limits.map(({ limiter, most }, i) => {
      const { remaining, resetSeconds } = limiter.peek(keys[i]!, most);
      const running = this.#running.get(keys[i]!) ?? 0;
      if (remaining > running) return 0;
      // Before the first failure, a check that runs may still succeed.
      return remaining === most ? 1 : Math.max(1, resetSeconds);
    });
    return Math.max(...waits);
  }
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}
