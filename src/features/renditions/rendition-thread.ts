import { IN_BACKGROUND, LazyThread, ThreadEnded } from '../../common/threads/thread.ts';
import { RenditionProblem } from '../../engines/audio/audio-block.ts';
import type { DecodeBounds } from '../../engines/audio/decode.ts';
import type { SoundAnalysis } from '../../engines/audio/sound/sound-analysis.ts';
import type { RenditionRequest } from './make-renditions.ts';
import type { Renditions } from './rendition-files.ts';
import type { Outcome, RenditionWorker } from './rendition-worker.ts';
import type { StreamRequest } from './streams/make-stream.ts';

/** Limits on JavaScript objects. `decode` limits them together with the memory of the decoders. */
const MAX_HEAP_MB = 256;
const MAX_YOUNG_HEAP_MB = 32;
/** The additional time for each minute of audio, in seconds. An MP3 takes a second of a processor. */
const SECONDS_PER_MINUTE = 1;
const ENCODING_SECONDS_PER_MINUTE = 15;

/**
 * Makes renditions in a thread of its own. The caller requests one file after another, and must close it. The first file starts the
 * thread. If a file ends it, the next file starts another.
 */
export class RenditionThread {
  readonly #ffmpeg: string | undefined;
  readonly #baseSeconds: number;
  readonly #bounds: DecodeBounds | undefined;
  readonly #thread: LazyThread<RenditionWorker>;

  /**
   * @param options.ffmpeg the path of ffmpeg; without it, some formats cannot be decoded
   * @param options.baseSeconds the time limit of a file, in addition to one second per minute of audio
   * @param options.bounds of the files that are analyzed; the time limit is then the same for all, and a file whose end
   *   is missing is refused
   * @param options.lowerBy as in ThreadOptions; by default, requests and imports come first
   */
  constructor({
    ffmpeg,
    baseSeconds = 60,
    bounds,
    lowerBy = IN_BACKGROUND,
  }: {
    ffmpeg?: string | undefined;
    baseSeconds?: number;
    bounds?: DecodeBounds | undefined;
    lowerBy?: number;
  } = {}) {
    this.#ffmpeg = ffmpeg;
    this.#baseSeconds = baseSeconds;
    this.#bounds = bounds;
    this.#thread = new LazyThread(new URL('./rendition-worker.ts', import.meta.url), {
      lowerBy,
      resourceLimits: {
        maxOldGenerationSizeMb: MAX_HEAP_MB,
        maxYoungGenerationSizeMb: MAX_YOUNG_HEAP_MB,
      },
      // Discards the output of decoders.
      stdout: true,
      stderr: true,
    });
  }

  /**
   * Rejects with a RenditionProblem if the file cannot be decoded, or takes too long or too much memory.
   * Its reason is one line for people. Rejects with another error if the audio is not the cause: the file
   * cannot be read, or the thread is closed.
   */
  make(request: RenditionRequest): Promise<Renditions> {
    return this.#do('making the renditions', (...rest) =>
      this.#thread.call('make', request, this.#ffmpeg, ...rest),
    );
  }

  /** Analyzes the file at a path, which Stave chose. Rejects as `make` does. */
  analyze(path: string): Promise<SoundAnalysis> {
    return this.#do('the analysis', (...rest) =>
      this.#thread.call('analyze', { path, bounds: this.#bounds }, this.#ffmpeg, ...rest),
    );
  }

  /** Encodes a file as `makeStream` does, and returns the length of the MP3 in bytes. Rejects as `make` does. */
  encode(request: StreamRequest): Promise<number> {
    const task: ThreadTask<number> = (...rest) =>
      this.#thread.call('encode', request, this.#ffmpeg, ...rest);
    return this.#do('making the stream', task, ENCODING_SECONDS_PER_MINUTE);
  }

  async #do<Made>(
    what: string,
    task: ThreadTask<Made>,
    secondsPerMinute = SECONDS_PER_MINUTE,
  ): Promise<Made> {
    const start = performance.now();
    let timer: NodeJS.Timeout | undefined;
    let program: number | undefined;
    const allow = (seconds: number) => {
      clearTimeout(timer);
      timer = setTimeout(
        () => void this.#thread.end(new TooSlow(what, seconds)),
        Math.max(0, start + seconds * 1000 - performance.now()),
      );
    };
    allow(this.#baseSeconds);
    const outcome = await task(
      (seconds) => {
        if (this.#bounds === undefined)
          allow(this.#baseSeconds + (seconds / 60) * secondsPerMinute);
      },
      (id) => {
        program = id;
      },
    )
      .catch((error: Error) => {
        // The thread has ended.
        if (program !== undefined) kill(program);
        if (this.#thread.isClosed) {
          throw new Error('the renditions were not made: their thread was closed');
        }
        throw new RenditionProblem(whyEnded(error), 'thread');
      })
      .finally(() => clearTimeout(timer));
    if ('made' in outcome) return outcome.made;
    if ('failure' in outcome) throw new Error(outcome.failure);
    throw new RenditionProblem(oneLine(outcome.problem), outcome.kind);
  }

  /** Ends the thread. An open request rejects. */
  async close(): Promise<void> {
    await this.#thread.close();
  }
}

type ThreadTask<Made> = (
  onSeconds: (seconds: number) => void,
  onProgram: (program: number | undefined) => void,
) => Promise<Outcome<Made>>;

class TooSlow extends Error {
  constructor(what: string, seconds: number) {
    super(`${what} took longer than ${Math.round(seconds)} s`);
  }
}

function whyEnded(error: Error): string {
  if (error instanceof TooSlow) return error.message;
  const why = error instanceof ThreadEnded ? 'its decoder stopped' : oneLine(error.message);
  return `the audio cannot be decoded: ${why}`;
}

/** Ends a program of the thread, because it outlives the thread. */
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
