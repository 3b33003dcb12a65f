import type { Readable } from 'node:stream';

/** How often the licenses of open downloads are looked up. */
const CHECK_MS = 400;

/** The downloads that this node is sending. Those of a license that is revoked meanwhile end within a second. */
export class OpenDownloads {
  readonly #revoked: (numbers: readonly string[]) => Promise<readonly string[]>;
  readonly #open = new Map<string, Set<Readable>>();
  #timer: NodeJS.Timeout | undefined;

  /**
   * @param revoked returns those of the numbers whose licenses were revoked. While it rejects, downloads continue: their
   * licenses were valid when they began.
   */
  constructor(revoked: (numbers: readonly string[]) => Promise<readonly string[]>) {
    this.#revoked = revoked;
  }

  /** Ends a stream when the license is revoked. */
  add(number: string, stream: Readable): void {
    const streams = this.#open.get(number) ?? new Set();
    this.#open.set(number, streams.add(stream));
    stream.once('close', () => {
      streams.delete(stream);
      if (streams.size === 0) this.#open.delete(number);
    });
    this.#timer ??= setTimeout(() => this.#check(), CHECK_MS).unref();
  }

  async #check(): Promise<void> {
    const numbers = await this.#revoked([...this.#open.keys()]).catch(() => []);
    for (const number of numbers) {
      for (const stream of this.#open.get(number) ?? []) {
        stream.destroy(new Error(`License ${number} was revoked.`));
      }
    }
    const isNeeded = this.#open.size > 0;
    this.#timer = isNeeded ? setTimeout(() => this.#check(), CHECK_MS).unref() : undefined;
  }
}
