import { setTimeout as sleep } from 'node:timers/promises';
import type { KeyClaim } from '../../access/idempotency.ts';
import type { Clock } from '../../common/clock.ts';

/** The pause between two attempts, in milliseconds. */
const RETRY_MS = 250;
/** More than the claims that are open when an outage begins. */
const MOST = 1_000;

/**
 * The claims that could not be given back because the database was unavailable. Tries again until it answers, or until
 * the claims have expired.
 */
export class LateReleases {
  readonly #release: (claim: KeyClaim) => Promise<void>;
  readonly #clock: Clock;
  readonly #claims = new Set<KeyClaim>();

  constructor(release: (claim: KeyClaim) => Promise<void>, clock: Clock) {
    this.#release = release;
    this.#clock = clock;
  }

  /** Gives the claim back later. Ignores it if there are very many: it expires. */
  add(claim: KeyClaim): void {
    if (this.#claims.size === MOST) return;
    this.#claims.add(claim);
    if (this.#claims.size === 1) void this.#run();
  }

  async #run(): Promise<void> {
    while (this.#claims.size > 0) {
      await sleep(RETRY_MS, undefined, { ref: false });
      await this.#releaseAll().catch(() => {});
    }
  }

  async #releaseAll(): Promise<void> {
    for (const claim of this.#claims) {
      if (claim.until > this.#clock.now()) await this.#release(claim);
      this.#claims.delete(claim);
    }
  }
}
