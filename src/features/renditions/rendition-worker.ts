import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { offerToStarter } from '../../common/threads/calls.ts';
import { RenditionProblem } from '../../engines/audio/audio-block.ts';
import { makeRenditions, type RenditionRequest } from './make-renditions.ts';
import type { Renditions } from './rendition-files.ts';

type Made =
  | { renditions: Renditions }
  | { problem: string; kind: RenditionProblem['kind'] }
  /** The audio is not the cause. */
  | { failure: string };

/** There is at most one open request. */
export interface RenditionWorker {
  /**
   * Rejects only if the thread ends. `onSeconds` gets the decoded length so far, and `onProgram` the process id of the
   * program that decodes the file; undefined when it has ended.
   */
  make(
    request: RenditionRequest,
    ffmpeg: string | undefined,
    onSeconds: (seconds: number) => void,
    onProgram: (program: number | undefined) => void,
  ): Promise<Made>;
}

let tellProgram: (program: number | undefined) => void = () => {};
// The end of a thread does not end its programs, so the main thread must know them.
subscribe('child_process', (message) => {
  const { process: child } = message as { process: ChildProcess };
  child.once('spawn', () => tellProgram(child.pid)).once('exit', () => tellProgram(undefined));
});
// A separate thread, so that a decoder that runs forever or out of memory can be ended.
offerToStarter({
  async make(request, ffmpeg, onSeconds, onProgram) {
    tellProgram = onProgram;
    try {
      return { renditions: await makeRenditions(request, ffmpeg, onSeconds) };
    } catch (error) {
      if (error instanceof RenditionProblem) return { problem: error.message, kind: error.kind };
      return { failure: error instanceof Error ? error.message : String(error) };
    }
  },
} satisfies RenditionWorker);
