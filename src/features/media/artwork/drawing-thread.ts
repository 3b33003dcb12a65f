import { Worker } from 'node:worker_threads';
import { StaveError } from '../../../common/errors.ts';

/** The greatest number of waiting pictures: twice as many as a page of tracks can have. They take about a second. */
const MAX_WAITING = 200;

/** The time after which an idle thread is ended. */
const IDLE_MS = 10_000;

interface Job {
  seed: string;
  resolve(picture: Buffer): void;
  reject(error: unknown): void;
}

/**
 * Draws generated artwork in a separate thread, one picture at a time, because anyone may request pictures
 * and each takes milliseconds of processor time. The thread starts with the first picture and does not keep
 * the process alive.
 */
export class DrawingThread {
  readonly #script: URL;
  readonly #maxWaiting: number;
  /** The waiting jobs. The first one is being drawn. */
  readonly #jobs: Job[] = [];
  #thread: Worker | undefined;
  #idle: NodeJS.Timeout | undefined;

  constructor({
    script = new URL('./draw-worker.ts', import.meta.url),
    maxWaiting = MAX_WAITING,
  }: {
    script?: URL;
    maxWaiting?: number;
  } = {}) {
    this.#script = script;
    this.#maxWaiting = maxWaiting;
  }

  /** Draws a PNG. Rejects with `unavailable` if too many jobs wait, and with the error that ended the thread. */
  draw(seed: string): Promise<Buffer> {
    if (this.#jobs.length >= this.#maxWaiting) {
      return Promise.reject(
        new StaveError(
          'unavailable',
          'Too many pictures are waiting to be drawn; try again in a moment.',
          { headers: { 'Retry-After': '1' } },
        ),
      );
    }
    return new Promise((resolve, reject) => {
      this.#jobs.push({ seed, resolve, reject });
      if (this.#jobs.length === 1) {
        this.#next();
      }
    });
  }

  #next(): void {
    clearTimeout(this.#idle);
    const job = this.#jobs[0];
    if (job === undefined) {
      this.#idle = setTimeout(() => this.#end(), IDLE_MS).unref();
      return;
    }
    this.#thread ??= this.#start();
    this.#thread.postMessage(job.seed);
  }

  #start(): Worker {
    const thread = new Worker(this.#script);
    thread.unref();
    thread.on('message', (picture: Uint8Array) => {
      const { buffer, byteOffset, byteLength } = picture;
      this.#jobs.shift()!.resolve(Buffer.from(buffer as ArrayBuffer, byteOffset, byteLength));
      this.#next();
    });
    const failed = (error: unknown) => {
      if (this.#thread === thread) {
        this.#thread = undefined;
        this.#jobs.shift()?.reject(error);
        this.#next();
      }
    };
    thread.on('error', failed);
    thread.on('exit', (code) => failed(new Error(`The drawing thread ended with code ${code}.`)));
    return thread;
  }

  #end(): void {
    const thread = this.#thread;
    this.#thread = undefined;
    void thread?.terminate();
  }
}
