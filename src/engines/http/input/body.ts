import type { Caller } from '../../../common/caller.ts';
import { StaveError, unavailable } from '../../../common/errors.ts';
import { CallerGone } from '../response/errors.ts';

/** The largest body of most routes, in bytes (docs/contract/limits.md#bounds-of-a-request). */
export const MAX_BODY_BYTES = 64 * 1024;

/** The first bytes of each body, which do not count against a budget. A token request is shorter. */
const FREE_BYTES = 4 * 1024;
const FIRST_BUFFER_BYTES = 4 * 1024;
const NONE: Buffer = Buffer.alloc(0);

/**
 * The memory, in bytes, that all bodies may occupy together beyond the first 4 KiB of each, from their first byte until
 * the response is made. Requests may wait long for the database then, also after their callers have left.
 */
export class BodyBudget {
  #leftBytes: number;

  constructor(bytes: number) {
    this.#leftBytes = bytes;
  }

  /** Takes bytes from the budget. Returns false, and takes nothing, if the budget has too few. */
  take(bytes: number): boolean {
    if (bytes > this.#leftBytes) {
      return false;
    }
    this.#leftBytes -= bytes;
    return true;
  }

  give(bytes: number): void {
    this.#leftBytes += bytes;
  }
}

/**
 * The body budgets of a server. Anonymous callers have a budget of their own, so that they cannot use up the
 * budget of clients, and so have files. The budgets suffice for 270 bodies of 64 KiB from anonymous callers, and for 1,000
 * from clients, or for 64 of 1 MiB, and for four files of 20 MiB.
 */
export class BodyBudgets {
  readonly #anonymous = new BodyBudget(16 * 1024 * 1024);
  readonly #clients = new BodyBudget(64 * 1024 * 1024);
  readonly #files = new BodyBudget(80 * 1024 * 1024);

  of(caller: Caller | undefined, isFile: boolean): BodyBudget {
    if (isFile) return this.#files;
    return caller === undefined ? this.#anonymous : this.#clients;
  }
}

/**
 * Gets the body, or the reason why there is none, once. It must call `release` if it gets one, when it no longer needs
 * the body and what is made of it, which returns the memory of the body to the budget.
 */
type OnBody = (fault: Error | undefined, body?: Buffer, release?: () => void) => void;

/**
 * Collects the pieces of a body in one buffer, because separate pieces can occupy a hundred times their size. Discards
 * what arrives after its end or a fault.
 */
export class BodyReader {
  readonly #limitBytes: number;
  readonly #budget: BodyBudget;
  readonly #onBody: OnBody;
  #isSettled = false;
  #buffer = NONE;
  #length = 0;
  #takenBytes = 0;

  constructor(limitBytes: number, budget: BodyBudget, onBody: OnBody) {
    this.#limitBytes = limitBytes;
    this.#budget = budget;
    this.#onBody = onBody;
  }

  /** Takes the next bytes, without the framing of chunks. */
  add(piece: Buffer): void {
    if (this.#isSettled) return;
    const length = this.#length + piece.length;
    if (length > this.#limitBytes) {
      this.fail(tooLarge(this.#limitBytes));
      return;
    }
    if (this.#length === 0) {
      // Most bodies arrive in one piece, which needs no copy.
      this.#buffer = piece;
    } else if (length > this.#buffer.length) {
      const larger = Buffer.allocUnsafeSlow(
        Math.min(this.#limitBytes, Math.max(FIRST_BUFFER_BYTES, 2 * length)),
      );
      this.#buffer.copy(larger, 0, 0, this.#length);
      this.#buffer = larger;
    }
    const wantedBytes = Math.max(0, this.#buffer.length - FREE_BYTES);
    if (!this.#budget.take(wantedBytes - this.#takenBytes)) {
      this.fail(unavailable('Too many large bodies are on their way; try again in a moment.', 2));
      return;
    }
    this.#takenBytes = wantedBytes;
    if (this.#length > 0) {
      piece.copy(this.#buffer, this.#length);
    }
    this.#length = length;
  }

  end(): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    const release = this.#takenBytes === 0 ? undefined : () => this.#release();
    this.#onBody(undefined, this.#buffer.subarray(0, this.#length), release);
    this.#buffer = NONE;
  }

  fail(fault: Error): void {
    if (this.#isSettled) return;
    this.#isSettled = true;
    this.#buffer = NONE;
    this.#release();
    this.#onBody(fault);
  }

  /** Called when no more of the body can arrive, after each request. */
  leave(): void {
    // Most bodies have ended here, and the trace of an error takes some 10 µs.
    if (!this.#isSettled) this.fail(new CallerGone());
  }

  #release(): void {
    this.#budget.give(this.#takenBytes);
    this.#takenBytes = 0;
  }
}

export function tooLarge(limitBytes: number): StaveError {
  return new StaveError(
    'payload_too_large',
    `The body must be at most ${limitBytes / 1024} KiB long.`,
  );
}
