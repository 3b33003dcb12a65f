import { stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import type { AudioTags } from './read-tags.ts';

/** An audio file that cannot be read; `message` gives the reason for the rejection. */
export class AudioProblem extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'AudioProblem';
  }
}

/**
 * Reads audio files in two threads, with a limit on time and memory for each file. The caller must
 * close it.
 */
export interface TagReader {
  /** Rejects with AudioProblem if the file is faulty or takes too long. */
  read(path: string): Promise<AudioTags>;
  close(): Promise<void>;
}

const WORKERS = 2;
const MAX_HEAP_MB = 96;
const MAX_YOUNG_HEAP_MB = 16;
/**
 * Seconds that a file may take, in addition to one second per MiB. Real files take a tenth of that.
 */
const BASE_SECONDS = 5;

/**
 * Opens a tag reader. The first file starts its threads, so an import without audio starts none. A
 * file may take at most `timeoutSeconds`, and less if it is short.
 */
export function openTagReader({
  timeoutSeconds = 30,
}: {
  timeoutSeconds?: number | undefined;
} = {}): TagReader {
  const lanes = Array.from({ length: WORKERS }, () => new Lane(timeoutSeconds));
  return {
    read(path) {
      return lanes.reduce((one, other) => (other.waiting < one.waiting ? other : one)).read(path);
    },
    async close() {
      await Promise.all(lanes.map((lane) => lane.close()));
    },
  };
}

/** One thread, and the files that wait for it. */
class Lane {
  waiting = 0;
  readonly #timeoutSeconds: number;
  #worker: Worker | undefined;
  #last: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  constructor(timeoutSeconds: number) {
    this.#timeoutSeconds = timeoutSeconds;
  }

  read(path: string): Promise<AudioTags> {
    this.waiting++;
    const reading = this.#last.then(() => this.#readNow(path));
    this.#last = reading.then(
      () => this.waiting--,
      () => this.waiting--,
    );
    return reading;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#worker?.terminate();
    this.#worker = undefined;
    await this.#last;
  }

  async #readNow(path: string): Promise<AudioTags> {
    const seconds = Math.min(this.#timeoutSeconds, await secondsFor(path));
    if (this.#isClosed) {
      throw new AudioProblem('the audio was not read: the import ended first');
    }
    this.#worker ??= new Worker(new URL('./tag-worker.ts', import.meta.url), {
      resourceLimits: {
        maxOldGenerationSizeMb: MAX_HEAP_MB,
        maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB,
      },
      // Discards what a parser prints.
      stdout: true,
      stderr: true,
    });
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const giveUp = (problem: string) => {
        finish();
        this.#worker = undefined;
        void worker.terminate();
        reject(new AudioProblem(problem));
      };
      const onMessage = (message: { tags: AudioTags } | { problem: string }) => {
        finish();
        if ('tags' in message) {
          resolve(message.tags);
        } else {
          reject(new AudioProblem(`the audio cannot be read: ${oneLine(message.problem)}`));
        }
      };
      const onError = (error: Error) =>
        giveUp(`the audio cannot be read: ${oneLine(error.message)}`);
      const onExit = () => giveUp('the audio cannot be read: its reader stopped');
      const timer = setTimeout(
        () => giveUp(`the audio took longer than ${seconds} s to read`),
        seconds * 1000,
      );
      const finish = () => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      };
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      worker.postMessage({ path });
    });
  }
}

async function secondsFor(path: string): Promise<number> {
  const size = await stat(path).then(
    (stats) => stats.size,
    () => 0,
  );
  return BASE_SECONDS + Math.ceil(size / 1024 / 1024);
}

function oneLine(message: string): string {
  return message.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, 200);
}
