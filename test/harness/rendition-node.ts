import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/common/clock.ts';
import type { MediaStore } from '../../src/engines/blobs/media-store.ts';
import { LocalAudio } from '../../src/features/renditions/local-audio.ts';
import {
  type ProcessorOptions,
  type ProcessorTimes,
  RenditionProcessor,
  renditionJobs,
} from '../../src/features/renditions/rendition-processor.ts';
import type { Store } from '../../src/features/store.ts';

/** Times with which a test need not wait. A claim outlives a busy machine, but is short for a test. */
export const SHORT_TIMES: ProcessorTimes = {
  claimMs: 3_000,
  renewMs: 500,
  pollMs: 20,
  pauseMs: 20,
  longestPauseMs: 100,
  longestJobPauseMs: 200,
};

/** A node that makes renditions. */
export interface RenditionNodeOfTest {
  processor: RenditionProcessor;
  /** What was reported, as `made 3` or `error …`. */
  events: string[];
  /** Ends the node as a stop of the service does. */
  stop(): Promise<void>;
}

/** Starts a node. By default it has one thread, no ffmpeg, and a folder for copies of its own. */
export async function startRenditionNode(
  store: Pick<Store, 'renditionClaims'>,
  media: MediaStore,
  {
    node = 'node',
    copies,
    ...options
  }: Partial<ProcessorOptions> & { node?: string; copies?: string } = {},
): Promise<RenditionNodeOfTest> {
  const own = copies ?? (await mkdtemp(join(tmpdir(), 'stave-copies-')));
  const events: string[] = [];
  const processor = new RenditionProcessor({
    store: store.renditionClaims,
    media,
    audio: new LocalAudio({
      media,
      folder: join(own, 'audio-copies'),
      clock: systemClock,
      abandonedMs: 2 * SHORT_TIMES.claimMs,
    }),
    node,
    threads: 1,
    ffmpeg: undefined,
    times: SHORT_TIMES,
    queues: [
      renditionJobs({
        claims: store.renditionClaims,
        media,
        onOutcome: (outcome, count) => events.push(`${outcome} ${count}`),
      }),
    ],
    onError: (error) => events.push(`error ${(error as Error).message}`),
    ...options,
  });
  const stopping = new AbortController();
  const running = processor.run(stopping.signal);
  return {
    processor,
    events,
    async stop() {
      stopping.abort();
      await running;
      if (copies === undefined) await rm(own, { recursive: true });
    },
  };
}
