import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../common/clock.ts';
import type { KeyClaim } from './idempotency.ts';

/** The pause between two attempts, and the first pause for a claim that was not found, in milliseconds. */
const RETRY_MS = 250;
/** More than the claims that are open when an outage begins. */
const MOST = 1_000;

/** A claim that is not given back yet. */
interface Late {
  claim: KeyClaim;
  /** Whether it may reach the database later. */
  isLost: boolean;
  /** The pause after the next attempt. */
  pauseMs: number;
  /** When it is tried again, by performance.now(). */
  dueAt: number;
}

/**
 * The claims that could not be given back because the database was unavailable. Tries again until it answers, or until
 * the claims have expired. A claim whose answer was lost may be stored after an attempt to give it back, so the attempts
 * continue until one finds it, with longer and longer pauses: it is then given back at most as late again as it came.
 */
export class LateReleases {
  readonly #release: (claim: KeyClaim) => Promise<boolean>;
  readonly #clock: Clock;
  readonly #late = new Set<Late>();

  /** @param release gives a claim back; returns whether it was stored */
  constructor(release: (claim: KeyClaim) => Promise<boolean>, clock: Clock) {
    this.#release = release;
    this.#clock = clock;
  }

  /** Gives a claim back later that was stored. Ignores it if there are very many: it expires. */
  add(claim: KeyClaim): void {
    this.#add({ claim, isLost: false, pauseMs: RETRY_MS, dueAt: 0 });
  }

  /** Gives a claim back later of which it is unknown whether it was stored, or will be. */
  addLost(claim: KeyClaim): void {
    this.#add({ claim, isLost: true, pauseMs: RETRY_MS, dueAt: 0 });
  }

  #add(late: Late): void {
    if (this.#late.size === MOST) return;
    this.#late.add(late);
    if (this.#late.size === 1) void this.#run();
  }

  async #run(): Promise<void> {
    while (this.#late.size > 0) {
      await sleep(RETRY_MS, undefined, { ref: false });
      for (const late of [...this.#late].filter(({ dueAt }) => dueAt <= performance.now())) {
        if (!(await this.#try(late))) break;
      }
    }
  }

  /** Returns false if the database did not answer. */
  async #try(late: Late): Promise<boolean> {
    this.#late.delete(late);
    if (late.claim.until <= this.#clock.now()) return true;
    try {
      if ((await this.#release(late.claim)) || !late.isLost) return true;
    } catch {
      // After the others, of which one may succeed.
      this.#late.add(late);
      return false;
    }
    late.dueAt = performance.now() + late.pauseMs;
    late.pauseMs *= 2;
    this.#late.add(late);
    return true;
  }
}
