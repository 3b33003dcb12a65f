import type { IssuedEnvelope } from '../../../engines/http/route/route.ts';

/** An envelope that is lent to responses. While none has it, it may be overwritten. */
export class LentEnvelope implements IssuedEnvelope {
  readonly envelope: Buffer;
  readonly issue: object;
  #readers = 0;

  /** @param envelope with URLs of this issue. */
  constructor(envelope: Buffer, issue: object) {
    this.envelope = envelope;
    this.issue = issue;
  }

  /** Lends the envelope to one more response, until that calls `release`. */
  lend(): this {
    this.#readers++;
    return this;
  }

  release(): void {
    this.#readers--;
  }

  /** Returns bytes that may be overwritten: those of this envelope if no response has it, or a copy. */
  writableBytes(): Buffer {
    return this.#readers === 0 ? this.envelope : ownCopy(this.envelope);
  }
}

/** Returns a copy in memory of its own, and not in Node's pool of buffers. */
export function ownCopy(bytes: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(bytes.length);
  copy.set(bytes);
  return copy;
}
