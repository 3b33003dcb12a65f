import { mkdtempDisposable, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { invalidRequest, StaveError } from '../../common/errors.ts';
import { limited } from '../../common/work/limited.ts';
import { RenditionProblem } from '../../engines/audio/audio-block.ts';
import type { SoundAnalysis } from '../../engines/audio/sound/sound-analysis.ts';
import { RenditionThread } from '../renditions/rendition-thread.ts';

/** The longest audio that is taken as an example. */
const MAX_MINUTES = 10;
/** The time in which it must be decoded and analyzed. */
const MAX_SECONDS = 20;
/** With the body, its copy while it arrives, and the memory of a thread without work, less than 256 MB. */
const MAX_MEMORY_MB = 160;
/** The files that this thread has analyzed at the same time. */
const AT_ONCE = 2;

/** Analyzes audio that callers send, each file in a thread of its own that ends with it. Nothing is kept. */
export class ExampleAudio {
  readonly #isOn: boolean;
  readonly #ffmpeg: () => Promise<string | undefined>;
  readonly #inTurn = limited(AT_ONCE);

  /** @param options.isOn whether audio is analyzed at all */
  constructor(options: { isOn: boolean; ffmpeg: () => Promise<string | undefined> }) {
    this.#isOn = options.isOn;
    this.#ffmpeg = options.ffmpeg;
  }

  /** Throws a `conflict` if audio is not analyzed. */
  refuseIfOff(): void {
    if (this.#isOn) return;
    throw new StaveError('conflict', 'The analysis of audio is switched off in this catalog.');
  }

  /**
   * Rejects with `invalid_request`, which says why, if the audio is silent, damaged, too long, or takes too long.
   * @param gone aborts when nobody waits for the result any more
   */
  analyze(bytes: Buffer, gone: AbortSignal): Promise<SoundAnalysis> {
    return this.#inTurn(async () => {
      gone.throwIfAborted();
      const thread = new RenditionThread({
        ffmpeg: await this.#ffmpeg(),
        baseSeconds: MAX_SECONDS,
        bounds: { minutes: MAX_MINUTES, memoryMb: MAX_MEMORY_MB },
      });
      const end = () => void thread.close();
      gone.addEventListener('abort', end);
      // ffmpeg needs a file, too.
      await using folder = await mkdtempDisposable(join(tmpdir(), 'stave-example-'));
      const path = join(folder.path, 'audio');
      try {
        await writeFile(path, bytes, { mode: 0o600 });
        return await thread.analyze(path);
      } catch (error) {
        throw error instanceof RenditionProblem ? refused(error) : error;
      } finally {
        gone.removeEventListener('abort', end);
        await thread.close();
      }
    });
  }
}

function refused({ message, kind }: RenditionProblem): StaveError {
  const reason = `${message.charAt(0).toUpperCase()}${message.slice(1)}`;
  const advice = kind === 'silent' ? '; send audio with sound' : '';
  return invalidRequest([{ field: 'body', message: `${reason}${advice}` }]);
}
