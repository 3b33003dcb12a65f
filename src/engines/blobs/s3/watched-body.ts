import { Readable } from 'node:stream';

/**
 * The body of a response, which fails when its reader waits for bytes too long. Time does not count while
 * the reader pauses, as players do. Destroying the body ends the response, and with it the connection.
 */
export class WatchedBody extends Readable {
  readonly #source: Readable;
  readonly #idleMs: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(source: Readable, idleMs: number) {
    super();
    this.#source = source;
    this.#idleMs = idleMs;
    source.on('data', (chunk: Buffer) => {
      clearTimeout(this.#timer);
      if (!this.push(chunk)) {
        source.pause();
      }
    });
    source.once('end', () => {
      clearTimeout(this.#timer);
      this.push(null);
    });
    source.once('error', (error) => this.destroy(error));
    // A response that breaks off may close without an error.
    source.once('close', () => {
      if (!source.readableEnded) {
        this.destroy(new Error('the response was cut off'));
      }
    });
    source.pause();
  }

  override _read(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(
      () => this.destroy(new Error(`no bytes came for ${this.#idleMs} ms`)),
      this.#idleMs,
    );
    this.#source.resume();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    clearTimeout(this.#timer);
    this.#source.destroy();
    callback(error);
  }
}
