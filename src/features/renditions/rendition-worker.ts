import type { ChildProcess } from 'node:child_process';
import { subscribe } from 'node:diagnostics_channel';
import { enableCompileCache } from 'node:module';
import { getPriority, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { RenditionProblem } from '../../engines/audio/audio-block.ts';
import { makeRenditions, type RenditionRequest, type Renditions } from './make-renditions.ts';

/** A request to make the renditions of one file. There is at most one open request. */
export interface WorkerRequest extends RenditionRequest {
  ffmpeg: string | undefined;
}

/** Any number of `seconds`, the decoded length so far, and of `program`, and then one of the others. */
export type WorkerMessage =
  | { seconds: number }
  /** The process id of the program that decodes the file; undefined when it has ended. */
  | { program: number | undefined }
  | { renditions: Renditions }
  | { problem: string; kind: RenditionProblem['kind'] }
  /** A failure that is none of the audio. */
  | { failure: string };

/** Added to the priority of the process: requests and imports come first. */
const PRIORITY_BELOW = 10;
const LOWEST_PRIORITY = 19;

// Concerns only this thread on Linux. Elsewhere it would concern the whole process.
if (process.platform === 'linux') {
  try {
    setPriority(Math.min(getPriority() + PRIORITY_BELOW, LOWEST_PRIORITY));
  } catch {
    // A sandbox may forbid it. The work is the same.
  }
}

enableCompileCache();
// The end of a thread does not end its programs: who ends this one must know them.
subscribe('child_process', (message) => {
  const { process: child } = message as { process: ChildProcess };
  const send = (program: number | undefined) => parentPort?.postMessage({ program });
  child.once('spawn', () => send(child.pid)).once('exit', () => send(undefined));
});
// A separate thread, so that a decoder that runs forever or out of memory can be ended.
parentPort?.on('message', async ({ ffmpeg, ...request }: WorkerRequest) => {
  const send = (message: WorkerMessage) => parentPort?.postMessage(message);
  try {
    const renditions = await makeRenditions(request, ffmpeg, (seconds) => send({ seconds }));
    send({ renditions });
  } catch (error) {
    if (error instanceof RenditionProblem) {
      send({ problem: error.message, kind: error.kind });
    } else {
      send({ failure: error instanceof Error ? error.message : String(error) });
    }
  }
});
