import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { offerToStarter } from '../../common/threads/calls.ts';
import { type AudioBlock, RenditionProblem } from '../../engines/audio/audio-block.ts';
import { type DecodeBounds, decode } from '../../engines/audio/decode.ts';
import { hasSkipped } from '../../engines/audio/sample-count.ts';
import { analyzeAudio } from '../../engines/audio/sound/analyze-audio.ts';
import type { SoundAnalysis } from '../../engines/audio/sound/sound-analysis.ts';
import { isCutOff } from '../../engines/audio/whole-file.ts';
import { makeRenditions, type RenditionRequest } from './make-renditions.ts';
import type { Renditions } from './rendition-files.ts';
import { makeStream, type StreamRequest } from './streams/make-stream.ts';

export type Outcome<Made> =
  | { made: Made }
  | { problem: string; kind: RenditionProblem['kind'] }
  /** The audio is not the cause. */
  | { failure: string };

/**
 * Rejects only if the thread ends. `onSeconds` gets the decoded length so far, and `onProgram` the process id of the
 * program that decodes the file; undefined when it has ended.
 */
type Task<Request, Made> = (
  request: Request,
  ffmpeg: string | undefined,
  onSeconds: (seconds: number) => void,
  onProgram: (program: number | undefined) => void,
) => Promise<Outcome<Made>>;

interface AnalysisRequest {
  path: string;
  bounds: DecodeBounds | undefined;
}

/** There is at most one open request. */
export interface RenditionWorker {
  make: Task<RenditionRequest, Renditions>;
  analyze: Task<AnalysisRequest, SoundAnalysis>;
  encode: Task<StreamRequest, number>;
}

let tellProgram: (program: number | undefined) => void = () => {};
// The end of a thread does not end its programs, so the main thread must know them.
subscribe('child_process', (message) => {
  const { process: child } = message as { process: ChildProcess };
  child.once('spawn', () => tellProgram(child.pid)).once('exit', () => tellProgram(undefined));
});
// A separate thread, so that a decoder that runs forever or out of memory can be ended.
offerToStarter({
  make: task(makeRenditions),
  analyze: task(async ({ path, bounds }: AnalysisRequest, ffmpeg, onSeconds) => {
    // What a catalog has is analyzed as far as it is there.
    if (bounds === undefined) return analyzeAudio(decode(path, ffmpeg), onSeconds);
    if (await isCutOff(path)) {
      throw new RenditionProblem('the audio is damaged: its end is missing');
    }
    return analyzeAudio(wholeAudio(path, decode(path, ffmpeg, bounds)), onSeconds);
  }),
  encode: task(makeStream),
} satisfies RenditionWorker);

/** The decoded blocks of a file. Throws at the end if damage made the decoder skip a part. */
async function* wholeAudio(
  path: string,
  blocks: AsyncIterable<AudioBlock>,
): AsyncGenerator<AudioBlock> {
  let [samples, rate] = [0, 0];
  for await (const block of blocks) {
    samples += block.channels[0]!.length;
    rate = block.sampleRate;
    yield block;
  }
  if (await hasSkipped(path, samples, rate)) {
    throw new RenditionProblem('the audio is damaged: a part of it cannot be decoded');
  }
}

function task<Request, Made>(
  make: (
    request: Request,
    ffmpeg: string | undefined,
    onSeconds: (seconds: number) => void,
  ) => Promise<Made>,
): Task<Request, Made> {
  return async (request, ffmpeg, onSeconds, onProgram) => {
    tellProgram = onProgram;
    try {
      return { made: await make(request, ffmpeg, onSeconds) };
    } catch (error) {
      if (error instanceof RenditionProblem) return { problem: error.message, kind: error.kind };
      return { failure: error instanceof Error ? error.message : String(error) };
    }
  };
}
