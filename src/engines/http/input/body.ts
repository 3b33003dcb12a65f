import { StaveError, unavailable } from '../../../common/errors.ts';
import { CallerGone } from '../response/errors.ts';
import type { BodyReader, RequestContext } from '../route/request-context.ts';

/** The largest body of most routes, in bytes (docs/contract/limits.md#bounds-of-a-request). */
export const MAX_BODY_BYTES = 64 * 1024;

/** Whether the request has a body, by its framing (RFC 9112 §6). */
export function hasBody({ request }: RequestContext): boolean {
  const { headers } = request;
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

/** The first bytes of each body, which do not count against a budget. A token request is shorter. */
const FREE_BYTES = 4 * 1024;
const FIRST_BUFFER_BYTES = 4 * 1024;

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
 * budget of clients. The budgets suffice for 270 bodies of 64 KiB from anonymous callers, and for 1,000 from
 * clients, or for 64 of 1 MiB.
 */
export class BodyBudgets {
  readonly #anonymous = new BodyBudget(16 * 1024 * 1024);
  readonly #clients = new BodyBudget(64 * 1024 * 1024);

  of({ caller }: RequestContext): BodyBudget {
    return caller === undefined ? this.#anonymous : this.#clients;
  }
}

/** Gets the body, or the reason why there is none. `release` returns the memory of the body to the budget. */
type OnBody = (fault: Error | undefined, body?: Buffer, release?: () => void) => void;

/**
 * Reads the body, and calls `onBody` once, before it returns if the whole body has arrived. It must call `release` if it
 * gets one, when it no longer needs the body and what is made of it. The fault is
 * `payload_too_large` as soon as the size is known, `unavailable` if the budget is used up, the parser's error if the
 * body is malformed, and CallerGone. Node reads and discards the rest of the body within the time limit of the request,
 * so that the response reaches a client that is still sending.
 */
export function readBody(
  context: RequestContext,
  limitBytes: number,
  budget: BodyBudget,
  onBody: OnBody,
): void {
  const { request, response } = context;
  if (Number(request.headers['content-length'] ?? 0) > limitBytes) {
    onBody(tooLarge(limitBytes));
    return;
  }
  if (context.awaitsContinue) {
    context.awaitsContinue = false;
    response.writeContinue();
  }
  context.readBody(new WholeBody(new GrowingBuffer(limitBytes, budget), onBody));
}

/** Collects a body, and discards what arrives after its end or a fault. */
class WholeBody implements BodyReader {
  #buffer: GrowingBuffer | undefined;
  readonly #onBody: OnBody;

  constructor(buffer: GrowingBuffer, onBody: OnBody) {
    this.#buffer = buffer;
    this.#onBody = onBody;
  }

  add(piece: Buffer): void {
    const fault = this.#buffer?.add(piece);
    if (fault !== undefined) {
      this.fail(fault);
    }
  }

  end(): void {
    this.#settle(undefined);
  }

  fail(reason: StaveError): void {
    this.#settle(reason);
  }

  leave(): void {
    // Most bodies have ended here, and the trace of an error takes some 10 µs.
    if (this.#buffer !== undefined) {
      this.#settle(new CallerGone());
    }
  }

  #settle(fault: Error | undefined): void {
    const buffer = this.#buffer;
    if (buffer !== undefined) {
      this.#buffer = undefined;
      if (fault === undefined) {
        this.#onBody(fault, buffer.bytes(), buffer.releaser());
      } else {
        buffer.release();
        this.#onBody(fault);
      }
    }
  }
}

/**
 * Collects the pieces of a body in one buffer, because separate pieces can occupy a hundred times their size.
 */
class GrowingBuffer {
  readonly #limitBytes: number;
  readonly #budget: BodyBudget;
  #buffer: Buffer = Buffer.alloc(0);
  #length = 0;
  #takenBytes = 0;

  constructor(limitBytes: number, budget: BodyBudget) {
    this.#limitBytes = limitBytes;
    this.#budget = budget;
  }

  add(piece: Buffer): StaveError | undefined {
    const length = this.#length + piece.length;
    if (length > this.#limitBytes) {
      return tooLarge(this.#limitBytes);
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
      return unavailable('Too many large bodies are on their way; try again in a moment.', 2);
    }
    this.#takenBytes = wantedBytes;
    if (this.#length > 0) {
      piece.copy(this.#buffer, this.#length);
    }
    this.#length = length;
    return undefined;
  }

  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  /** Returns the function that must be called when the body is not needed any more; undefined if it is short. */
  releaser(): (() => void) | undefined {
    return this.#takenBytes === 0 ? undefined : () => this.release();
  }

  release(): void {
    this.#budget.give(this.#takenBytes);
    this.#takenBytes = 0;
  }
}

function tooLarge(limitBytes: number): StaveError {
  return new StaveError(
    'payload_too_large',
    `The body must be at most ${limitBytes / 1024} KiB long.`,
  );
}
