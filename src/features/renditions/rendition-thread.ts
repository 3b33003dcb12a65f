import { Worker } from 'node:worker_threads';
import { RenditionProblem } from '../../engines/audio/audio-block.ts';
import type { RenditionRequest, Renditions } from './make-renditions.ts';
import type { WorkerMessage, WorkerRequest } from './rendition-worker.ts';

/** Makes renditions in a thread of its own, one file after another. The caller must close it. */
export interface RenditionThread {
  /**
   * Rejects with a RenditionProblem if the file cannot be decoded, or takes too long or too much memory.
   * Its reason is one line for people. Rejects with another error if the audio is not the cause: the file
   * cannot be read, or the thread is closed.
   */
  make(request: RenditionRequest): Promise<Renditions>;
  /** Ends the thread. Requests that are open reject. */
  close(): Promise<void>;
}

export interface RenditionThreadOptions {
  /** The path of ffmpeg; without it, some formats cannot be decoded. */
  ffmpeg?: string | undefined;
  /** Seconds that a file may take, in addition to one second per minute of audio. */
  baseSeconds?: number;
}

const CLOSED = 'the renditions were not made: their thread was closed';
/** Limits on JavaScript objects. `decode` limits them together with the memory of the decoders. */
const MAX_HEAP_MB = 256;
const MAX_YOUNG_HEAP_MB = 32;

/** The first file starts the thread. A file that ends it costs only that file: the next one starts another. */
export function openRenditionThread({
  ffmpeg,
  baseSeconds = 60,
}: RenditionThreadOptions = {}): RenditionThread {
  let worker: Worker | undefined;
  let last: Promise<unknown> = Promise.resolve();
  let isClosed = false;

  const makeNow = (request: RenditionRequest): Promise<Renditions> => {
    if (isClosed) {
      throw new Error(CLOSED);
    }
    worker ??= startWorker();
    const current = worker;
    return ask(current, { ...request, ffmpeg }, baseSeconds).catch(async (error: unknown) => {
      if (error instanceof DeadThread) {
        worker = undefined;
        await current.terminate();
        throw isClosed ? new Error(CLOSED) : new RenditionProblem(error.message, 'thread');
      }
      throw error;
    });
  };
  return {
    make(request) {
      const making = last.then(() => makeNow(request));
      last = making.catch(() => {});
      return making;
    },
    async close() {
      isClosed = true;
      await worker?.terminate();
      await last;
    },
  };
}

/** The thread ended, or must be ended; `message` gives the reason. */
class DeadThread extends Error {}

function startWorker(): Worker {
  const worker = new Worker(new URL('./rendition-worker.ts', import.meta.url), {
    resourceLimits: {
      maxOldGenerationSizeMb: MAX_HEAP_MB,
      maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB,
    },
    stdout: true,
    stderr: true,
  });
  // Discards what a decoder prints.
  worker.stdout.resume();
  worker.stderr.resume();
  return worker;
}

/** Rejects with a RenditionProblem, with DeadThread, or with the failure in the thread. */
function ask(worker: Worker, request: WorkerRequest, baseSeconds: number): Promise<Renditions> {
  return new Promise((resolve, reject) => {
    const start = performance.now();
    let timer: NodeJS.Timeout;
    let program: number | undefined;
    const allow = (seconds: number) => {
      clearTimeout(timer);
      timer = setTimeout(
        () => die(`making the renditions took longer than ${Math.round(seconds)} s`),
        Math.max(0, start + seconds * 1000 - performance.now()),
      );
    };
    const finish = () => {
      clearTimeout(timer);
      worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    };
    const die = (problem: string) => {
      finish();
      if (program !== undefined) kill(program);
      reject(new DeadThread(problem));
    };
    const onMessage = (message: WorkerMessage) => {
      if ('seconds' in message) {
        allow(baseSeconds + message.seconds / 60);
        return;
      }
      if ('program' in message) {
        program = message.program;
        return;
      }
      finish();
      if ('renditions' in message) {
        resolve(message.renditions);
      } else if ('failure' in message) {
        reject(new Error(message.failure));
      } else {
        reject(new RenditionProblem(oneLine(message.problem), message.kind));
      }
    };
    const onError = (error: Error) => die(`the audio cannot be decoded: ${oneLine(error.message)}`);
    const onExit = () => die('the audio cannot be decoded: its decoder stopped');
    worker.on('message', onMessage).on('error', onError).on('exit', onExit);
    allow(baseSeconds);
    worker.postMessage(request);
  });
}

/** Ends a program of the thread, which would outlive it. */
function kill(program: number): void {
  try {
    process.kill(program, 'SIGKILL');
  } catch {
    // It has ended.
  }
}

function oneLine(message: string): string {
  return message.replace(/[\p{Cc}\s]+/gu, ' ').slice(0, 200);
}
