import { limited } from '../../../common/work/limited.ts';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import type { MadeRendition } from '../rendition.ts';
import { RenditionJobs } from '../rendition-jobs.ts';
import { type AudioQueue, renditionJobs } from '../rendition-processor.ts';
import type { RenditionStore } from '../store/rendition-store.ts';
import { audioProcessor, type RenditionContext } from './renditions.ts';

/** The failures of a store in a row, in half a minute, after which the build ends. */
const MAX_FAULTS = 6;
/** The renditions of one step, and the look-ups of files at the same time. */
const SLICE = 500;
const LOOK_UPS = 8;

/** Numbers of renditions. */
interface BuildProgress {
  made: number;
  failed: number;
  /** Renditions that were queued when the build began. Other nodes may make some of them. */
  total: number;
}

export interface BuildResult extends BuildProgress {
  /** Audio files that could not be read to the end. Their renditions stay queued. */
  unread: number;
  formats: string[];
}

export interface BuildOptions {
  threads: number;
  /** Whether to repeat what failed, too. */
  all: boolean;
  signal: AbortSignal;
  onProgress: (progress: BuildProgress) => void;
}

/**
 * Makes the renditions of all live tracks that do not exist, in this process, whether or not a client has the feature.
 * With `all`, also those whose files are missing from the media store.
 */
export function buildRenditions(
  context: RenditionContext,
  options: BuildOptions,
): Promise<BuildResult> {
  const { store, media } = context;
  return buildAll(context, options, {
    store: store.renditions,
    jobs: (onError) =>
      new RenditionJobs({ store: store.renditions, changes: store.changes, onError }),
    queue: (onOutcome) => renditionJobs({ claims: store.renditionClaims, media, onOutcome }),
    findLost: (signal) => remakeLost(store.renditions, media, signal),
  });
}

/** Jobs on the audio of all live tracks. */
export interface BuildWork {
  store: RenditionStore;
  jobs(onError: (error: unknown) => void): RenditionJobs;
  queue(onOutcome: AudioQueue['onOutcome']): AudioQueue;
  /** Queues again what was lost since it was made. */
  findLost?(signal: AbortSignal): Promise<void>;
}

/**
 * Does the jobs that are queued or missing. Other nodes may do some of them at the same time. Rejects with the cause if a
 * store fails for half a minute. Resolves early if the signal aborts.
 */
export async function buildAll(
  context: RenditionContext,
  { threads, all, signal, onProgress }: BuildOptions,
  { store, jobs, queue, findLost }: BuildWork,
): Promise<BuildResult> {
  await jobs((error) => {
    throw error;
  }).addMissing(signal);
  // The operator may have restored the audio.
  await store.endPauses();
  if (all) {
    await store.requeueFailed();
    await findLost?.(signal);
  }
  const { queued: total } = await store.unmade();
  const progress: BuildProgress = { made: 0, failed: 0, total };
  const processor = await audioProcessor(context, {
    threads,
    queues: [
      queue((outcome, count) => {
        if (outcome === 'retried') return;
        progress[outcome] += count;
        onProgress(progress);
      }),
    ],
    // `drain` rejects with the last error.
    onError() {},
  });
  const unread = await processor.drain(signal, MAX_FAULTS);
  return { ...progress, unread, formats: processor.formats };
}

/** Queues the renditions whose files are missing from the media store. */
async function remakeLost(
  store: RenditionStore,
  media: MediaStore,
  signal: AbortSignal,
): Promise<void> {
  const inTurn = limited(LOOK_UPS);
  let last: MadeRendition | undefined;
  while (!signal.aborted) {
    const made = await store.madeAfter(last, SLICE);
    last = made.at(-1);
    if (last === undefined) return;
    const found = await Promise.all(made.map(({ mediaKey }) => inTurn(() => media.stat(mediaKey))));
    const lost = made.filter((_, i) => found[i] === undefined);
    if (lost.length > 0) await store.remake(lost);
  }
}
