import { type ChildProcess, fork } from 'node:child_process';
import { stat } from 'node:fs/promises';
import { limited } from '../../../common/work/limited.ts';
import { FileProblem } from './file-problem.ts';
import type { TagEncoding } from './tag-encodings.ts';
import type { ReadRequest, ReadResponse, ReadResults } from './tag-worker.ts';

const WORKERS = 2;
const MAX_HEAP_MB = 96;
const MAX_SEMI_SPACE_MB = 8;
/** Seconds that a file may take, and one more per MiB. Real files take a tenth of that. */
const BASE_SECONDS = 5;

/**
 * Reads audio files, and clips and waveforms of them, in two processes, with a limit on time and memory for each file. Not
 * in threads: one that is out of memory may end its whole process. The first file starts the processes, so an import without
 * audio starts none. A read rejects with FileProblem if the file is faulty or takes too long. The caller must dispose of it.
 */
export class TagReader {
  readonly #lanes: readonly Lane[];
  readonly #tagEncoding: TagEncoding | undefined;

  /** A file may take at most `timeoutSeconds`, and less if it is short. `tagEncoding` is that of Latin-1 texts. */
  constructor({
    timeoutSeconds = 30,
    tagEncoding,
  }: { timeoutSeconds?: number | undefined; tagEncoding?: TagEncoding | undefined } = {}) {
    this.#tagEncoding = tagEncoding;
    this.#lanes = Array.from({ length: WORKERS }, () => new Lane(timeoutSeconds));
  }

  read<As extends keyof ReadResults = 'audio'>(
    path: string,
    as: As = 'audio' as As,
  ): Promise<ReadResults[As]> {
    const lane = this.#lanes.reduce((one, other) => (other.waiting < one.waiting ? other : one));
    return lane.read({ path, as, tagEncoding: this.#tagEncoding });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all(this.#lanes.map((lane) => lane.close()));
  }
}

function startWorker(): ChildProcess {
  return fork(new URL('./tag-worker.ts', import.meta.url), {
    // Keeps bytes and undefined values.
    serialization: 'advanced',
    execArgv: [
      `--max-old-space-size=${MAX_HEAP_MB}`,
      `--max-semi-space-size=${MAX_SEMI_SPACE_MB}`,
      '--disable-warning=ExperimentalWarning',
    ],
    // No secret of this process.
    env: {},
    // Discards what a parser prints.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
}

/** What a reason for a rejection calls the file. */
const SUBJECTS: Readonly<Record<keyof ReadResults, string>> = {
  audio: 'the audio',
  properties: 'the audio',
  clip: 'the clip',
  'waveform.dat': 'the waveform',
  'waveform.json': 'the waveform',
};

class Lane {
  waiting = 0;
  readonly #timeoutSeconds: number;
  #worker: ChildProcess | undefined;
  readonly #inTurn = limited(1);
  #isClosed = false;

  constructor(timeoutSeconds: number) {
    this.#timeoutSeconds = timeoutSeconds;
  }

  read<As extends keyof ReadResults>(request: ReadRequest & { as: As }): Promise<ReadResults[As]> {
    this.waiting++;
    const reading = this.#inTurn(() => this.#readNow(request)) as Promise<ReadResults[As]>;
    return reading.finally(() => this.waiting--);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#worker?.kill('SIGKILL');
    this.#worker = undefined;
    await this.#inTurn(async () => {});
  }

  async #readNow(request: ReadRequest): Promise<ReadResults[keyof ReadResults]> {
    const subject = SUBJECTS[request.as];
    const seconds = Math.min(this.#timeoutSeconds, await secondsFor(request.path));
    if (this.#isClosed) {
      throw new FileProblem(`${subject} was not read: the import ended first`);
    }
    this.#worker ??= startWorker();
    const worker = this.#worker;
    return new Promise((resolve, reject) => {
      const giveUp = (problem: string) => {
        finish();
        this.#worker = undefined;
        worker.kill('SIGKILL');
        reject(new FileProblem(problem));
      };
      const cannot = (why: string) => `${subject} cannot be read: ${oneLine(why)}`;
      const onMessage = (message: ReadResponse) => {
        finish();
        if ('result' in message) {
          resolve(message.result);
        } else {
          const { problem, isReason } = message;
          reject(new FileProblem(isReason ? problem : cannot(problem)));
        }
      };
      const onError = (error: Error) => giveUp(cannot(error.message));
      const onExit = () => giveUp(cannot('its reader stopped, or took too much memory'));
      const timer = setTimeout(
        () => giveUp(`${subject} took longer than ${seconds} s to read`),
        seconds * 1000,
      );
      const finish = () => {
        clearTimeout(timer);
        worker.off('message', onMessage).off('error', onError).off('exit', onExit);
      };
      worker.on('message', onMessage).on('error', onError).on('exit', onExit);
      worker.send(request, (error) => error && onError(error));
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
