import { limited } from '../../../common/work/limited.ts';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import type { MadeRendition } from '../rendition.ts';
import { RenditionJobs } from '../rendition-jobs.ts';
import type { RenditionStore } from '../store/rendition-store.ts';
import { type RenditionContext, renditionProcessor } from './renditions.ts';

/** After this many failures of a store in a row, half a minute, nothing more is tried. */
const MAX_FAULTS = 6;
/** The renditions whose files are looked up in one step, and how many of them at a time. */
const SLICE = 500;
const LOOK_UPS = 8;

/** Renditions that were made, or failed for good, and those that are left. */
export interface BuildProgress {
  made: number;
  failed: number;
  /** What was queued when the build began. Other nodes may make some of it. */
  total: number;
}

export interface BuildResult extends BuildProgress {
  /** The number of audio files that could not be read to the end. Their renditions stay queued. */
  unread: number;
  formats: string[];
}

/**
 * Makes the renditions of all live tracks that do not exist, in this process, whether or not a client has the feature.
 * Other nodes may make some of them at the same time. Rejects with the cause if a store fails for half a minute. Resolves
 * early if the signal aborts.
 * @param options.all also makes those that failed, and those whose files are missing from the media store
 */
export async function buildRenditions(
  context: RenditionContext,
  {
    threads,
    all,
    signal,
    onProgress,
  }: {
    threads: number;
    all: boolean;
    signal: AbortSignal;
    onProgress: (progress: BuildProgress) => void;
  },
): Promise<BuildResult> {
  const { store, media } = context;
  const jobs = new RenditionJobs({
    store: store.renditions,
    changes: store.changes,
    onError(error) {
      throw error;
    },
  });
  await jobs.addMissing(signal);
  // The operator may have restored the audio.
  await store.renditions.endPauses();
  if (all) {
    await store.renditions.requeueFailed();
    await remakeLost(store.renditions, media, signal);
  }
  const { queued: total } = await store.renditions.unmade();
  const progress: BuildProgress = { made: 0, failed: 0, total };
  const processor = await renditionProcessor(context, {
    threads,
    onOutcome(outcome, count) {
      if (outcome === 'retried') return;
      progress[outcome] += count;
      onProgress(progress);
    },
    // The last of them is thrown.
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
