import { StaveError } from '../../../common/errors.ts';
import { asBuffer } from '../../../common/threads/calls.ts';
import { LazyThread } from '../../../common/threads/thread.ts';
import { limited } from '../../../common/work/limited.ts';

/** The greatest number of waiting pictures: twice as many as a page of tracks can have. They take about a second. */
const MAX_WAITING = 200;

/** The time after which an idle thread is ended. */
const IDLE_MS = 10_000;

/**
 * Draws generated artwork in a separate thread, one picture at a time, because anyone may request pictures
 * and each takes milliseconds of processor time.
 */
export class DrawingThread {
  readonly #thread: LazyThread<{ draw(seed: string): Uint8Array }>;
  readonly #turns = limited(1);
  readonly #maxWaiting: number;
  #waiting = 0;

  constructor({
    script = new URL('./draw-worker.ts', import.meta.url),
    maxWaiting = MAX_WAITING,
  }: {
    script?: URL;
    maxWaiting?: number;
  } = {}) {
    this.#thread = new LazyThread(script, { idleMs: IDLE_MS });
    this.#maxWaiting = maxWaiting;
  }

  /** Draws a PNG. Rejects with `unavailable` if too many wait, and with the error that ended the thread. */
  async draw(seed: string): Promise<Buffer> {
    if (this.#waiting >= this.#maxWaiting) {
      throw new StaveError(
        'unavailable',
        'Too many pictures are waiting to be drawn; try again in a moment.',
        { headers: { 'Retry-After': '1' } },
      );
    }
    this.#waiting++;
    try {
      return asBuffer(await this.#turns(() => this.#thread.call('draw', seed)));
    } finally {
      this.#waiting--;
    }
  }
}
