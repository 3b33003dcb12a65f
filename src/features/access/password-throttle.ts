import { createHash } from 'node:crypto';
import type { AttemptLimiter, RateDecision } from '../../engines/limits/rate-limiter.ts';

/** Failures of one address with one name, and with one name from all addresses. */
const LIMITS = [
  { keyOf: ({ network, of }: Tried) => `${network} ${of}`, most: 10, windowSeconds: 60 },
  { keyOf: ({ of }: Tried) => of, most: 100, windowSeconds: 3_600 },
] as const;

/** Who tries a password. */
export interface Tried {
  /** The network of the caller, as `networkOf` returns it. */
  network: string;
  /** Whose password it is. Another text has counts of its own. */
  of: string;
}

/** The result of a check, or the whole seconds to wait: then nothing was checked. */
export type Throttled = { isRight: boolean } | { waitSeconds: number };

/**
 * Limits wrong passwords of operators and of links, over all nodes that share the limiter. While a limit is reached, no
 * password is checked, also not the right one. A check that runs counts as a failure until it has ended, so that those at one
 * time do not pass together.
 */
export class PasswordThrottle {
  readonly #limiter: AttemptLimiter;

  constructor(limiter: AttemptLimiter) {
    this.#limiter = limiter;
  }

  /** Checks a password, unless the limits refuse that. A check that throws counts as none. */
  async try(tried: Tried, check: () => Promise<boolean>): Promise<Throttled> {
    const counted: [key: string, RateDecision][] = [];
    const giveBack = () =>
      Promise.all(counted.map(([key, decision]) => this.#limiter.giveBack(key, decision)));
    for (const { keyOf, most, windowSeconds } of LIMITS) {
      const key = digestOf(keyOf(tried));
      const decision = await this.#limiter.take(key, most, windowSeconds);
      if (!decision.allowed) {
        await giveBack();
        return { waitSeconds: decision.resetSeconds };
      }
      counted.push([key, decision]);
    }
    let isWrong = false;
    try {
      const isRight = await check();
      isWrong = !isRight;
      return { isRight };
    } finally {
      if (!isWrong) await giveBack();
    }
  }
}

/** A name is arbitrary input, as long as a body may be. */
function digestOf(text: string): string {
  return `password ${createHash('sha256').update(text).digest('base64url')}`;
}
