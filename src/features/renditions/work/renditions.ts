import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../common/clock.ts';
import { newId } from '../../../common/ids.ts';
import type { Log } from '../../../common/log.ts';
import { findFfmpeg, isExecutable } from '../../../engines/audio/find-ffmpeg.ts';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import type { ChangeLog } from '../../../engines/change-log/change-log.ts';
import type { Metrics } from '../../../engines/http/metrics/metrics.ts';
import type { ClientRegistry } from '../../access/registry.ts';
import { LocalAudio } from '../local-audio.ts';
import { RenditionJobs } from '../rendition-jobs.ts';
import { paused } from '../rendition-presence.ts';
import {
  type AudioQueue,
  PROCESSOR_TIMES,
  type ProcessedOutcome,
  RenditionProcessor,
  renditionJobs,
} from '../rendition-processor.ts';
import { RenditionQueue } from '../rendition-queue.ts';
import type { RenditionClaimStore } from '../store/rendition-claim-store.ts';
import type { RenditionStore } from '../store/rendition-store.ts';

export interface RenditionContext {
  config: {
    dataFolder: string;
    /** How many renditions this node makes at the same time; 0 for none. */
    previewThreads: number;
    ffmpeg: { setting: string | null; searchPath: string };
  };
  store: {
    renditions: RenditionStore;
    renditionClaims: RenditionClaimStore;
    changes: ChangeLog;
    isReachable(): boolean;
  };
  media: MediaStore;
  clock: Clock;
  log: Log;
}

/** The folder within the data folder for copies of audio of a bucket, while renditions are made. */
const AUDIO_COPIES_FOLDER = 'audio-copies';

/** Other jobs on audio than renditions, which the same threads do. */
export interface OtherAudioJobs {
  queue: AudioQueue;
  /** Adds jobs until the signal aborts. `wake` tells that there are some. */
  work(signal: AbortSignal, wake: () => void): Promise<void>;
}

/** How often the node checks whether a client has the feature. */
const FEATURE_MS = 250;
/** How often the node counts the renditions that are not made. */
const COUNT_MS = 15_000;

/**
 * Makes waveforms and preview clips on this node while a client has the feature `previews`.
 *
 * @param deps.others jobs that are done whether or not a client has the feature
 * @param deps.isFirst whether this worker makes renditions; the others only request them
 */
export function renditions({
  context,
  registry,
  metrics,
  isFirst,
  others,
}: {
  context: RenditionContext;
  registry: Pick<ClientRegistry, 'hasFeature'>;
  metrics: Metrics;
  isFirst: boolean;
  others: readonly OtherAudioJobs[];
}) {
  const { store, log } = context;
  const measured = measuredRenditions(metrics);
  const report = (error: unknown, what: string) => {
    if (store.isReachable()) log.error({ err: error }, `${what} failed`);
  };
  let processor: RenditionProcessor | undefined;
  const queue = new RenditionQueue({ store: store.renditions, wake: () => processor?.wake() });
  const stopping = new AbortController();
  let running: Promise<void> = Promise.resolve();

  const work = async (signal: AbortSignal) => {
    const jobs = new RenditionJobs({
      store: store.renditions,
      changes: store.changes,
      onAdded: () => processor?.wake(),
      onError: report,
    });
    const count = async () => {
      while (!signal.aborted) {
        try {
          measured.counted(await store.renditions.unmade());
        } catch (error) {
          report(error, 'counting previews');
        }
        await paused(COUNT_MS, signal);
      }
      measured.counted({ queued: 0, running: 0, failed: 0 });
    };
    await Promise.all([jobs.run(signal), count()]);
  };
  const process = async (signal: AbortSignal) => {
    if (context.config.previewThreads === 0) return;
    const claims = store.renditionClaims;
    const own = { claims, media: context.media, isOn: isAsked, onOutcome: measured.onOutcome };
    processor = await audioProcessor(context, {
      queues: [renditionJobs(own), ...others.map(({ queue: other }) => other)],
      onError: report,
    });
    await processor.run(signal);
    processor = undefined;
  };
  const isOn = () => registry.hasFeature('previews');
  // Test licenses deliver clips, and links to collections play them, which are made when they are requested.
  const isAsked = () =>
    isOn() || registry.hasFeature('licensing') || registry.hasFeature('saved-searches');

  /** Works while it is wanted. */
  const watch = async (
    isWanted: () => boolean,
    task: (signal: AbortSignal) => Promise<unknown>,
  ) => {
    while (!stopping.signal.aborted) {
      if (isWanted()) {
        const ending = new AbortController();
        const working = task(ending.signal).catch((error) => report(error, 'making previews'));
        while (isWanted() && (await paused(FEATURE_MS, stopping.signal)));
        ending.abort();
        await working;
      } else {
        await paused(FEATURE_MS, stopping.signal);
      }
    }
  };
  const drain = () => {
    queue.stop();
    stopping.abort();
  };
  return {
    queue,
    /** Ends the waits of requests, and begins to end the work. */
    drain,
    start() {
      if (!isFirst) return;
      running = Promise.all([
        watch(isOn, work),
        watch(() => others.length > 0 || isAsked(), process),
        ...others.map((other) => other.work(stopping.signal, () => processor?.wake())),
        warnOfFfmpeg(context),
      ]).then(() => {});
    },
    /** As `drain`, and resolves when this node has no claims any more. */
    async stop() {
      drain();
      await running;
    },
  };
}

/** Makes a processor that does not run yet. */
export async function audioProcessor(
  { config, store, media, clock }: RenditionContext,
  {
    threads = config.previewThreads,
    queues,
    onError,
  }: {
    threads?: number;
    queues: readonly AudioQueue[];
    onError: (error: unknown, what: string) => void;
  },
): Promise<RenditionProcessor> {
  const { setting, searchPath } = config.ffmpeg;
  return new RenditionProcessor({
    store: store.renditionClaims,
    media,
    audio: localAudio({ config, media, clock }),
    node: `${hostname()} ${newId()}`,
    threads,
    ffmpeg: await findFfmpeg(setting, searchPath),
    queues,
    onError,
  });
}

export function localAudio({
  config,
  media,
  clock,
}: {
  config: { dataFolder: string };
  media: MediaStore;
  clock: Clock;
}): LocalAudio {
  return new LocalAudio({
    media,
    folder: join(config.dataFolder, AUDIO_COPIES_FOLDER),
    clock,
    abandonedMs: 2 * PROCESSOR_TIMES.claimMs,
  });
}

/** The ffmpeg of the setting may be installed later, so the node starts without it. */
async function warnOfFfmpeg({ config, log }: RenditionContext): Promise<void> {
  const { setting, searchPath } = config.ffmpeg;
  if (config.previewThreads === 0 || setting === null) return;
  const path = await findFfmpeg(setting, searchPath);
  if (path !== undefined && !(await isExecutable(path))) {
    log.warn(
      { path },
      'STAVE_FFMPEG names no program that can be executed; previews are made without ffmpeg',
    );
  }
}

function measuredRenditions(metrics: Metrics) {
  const outcomes = metrics.counter(
    'stave_renditions_total',
    'Waveforms and preview clips that this node began to make, by outcome: made, failed, or retried later.',
    ['outcome'],
  );
  for (const outcome of ['made', 'failed', 'retried']) outcomes.count([outcome]);
  let unmade = { queued: 0, running: 0, failed: 0 };
  metrics.gauge(
    'stave_renditions_unmade',
    'Waveforms and preview clips of the catalog that are not made, by state: queued, running or failed.',
    () => Object.entries(unmade).map(([state, value]) => [{ state }, value] as const),
  );
  return {
    onOutcome: (outcome: ProcessedOutcome, count: number) => outcomes.increment([outcome], count),
    counted(counts: typeof unmade) {
      unmade = counts;
    },
  };
}
