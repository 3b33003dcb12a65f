import type { Log } from '../../../common/log.ts';
import type { ChangeLog } from '../../../engines/change-log/change-log.ts';
import type { Metrics } from '../../../engines/http/metrics/metrics.ts';
import { RenditionJobs } from '../../renditions/rendition-jobs.ts';
import { paused } from '../../renditions/rendition-presence.ts';
import type { AudioQueue } from '../../renditions/rendition-processor.ts';
import type { RenditionClaimStore } from '../../renditions/store/rendition-claim-store.ts';
import {
  type BuildOptions,
  type BuildResult,
  buildAll,
} from '../../renditions/work/build-renditions.ts';
import type { OtherAudioJobs, RenditionContext } from '../../renditions/work/renditions.ts';
import { analysesOf, type SoundJobStore } from '../store/sound-job-store.ts';
import type { SoundStore } from '../store/sound-store.ts';

export interface AnalysisContext {
  config: { analysis: boolean };
  store: {
    sounds: SoundStore;
    soundJobs: SoundJobStore;
    soundClaims: RenditionClaimStore;
    changes: ChangeLog;
    isReachable(): boolean;
  };
  log: Log;
}

/** How often results are published, so that changes are logged many at once. */
const PUBLISH_MS = 2_000;
/** How often the node counts the audio that is not analyzed. */
const COUNT_MS = 15_000;

/** Analyzes the audio of all live tracks on this node, unless STAVE_ANALYSIS is `off`. */
export function analysis(
  { config, store, log }: AnalysisContext,
  metrics: Metrics,
): OtherAudioJobs[] {
  if (!config.analysis) return [];
  const { onOutcome, counted } = measured(metrics);
  const report = (error: unknown, what: string) => {
    if (store.isReachable()) log.error({ err: error }, `${what} failed`);
  };
  const repeat = async (
    signal: AbortSignal,
    ms: number,
    what: string,
    run: () => Promise<void>,
  ) => {
    do {
      await run().catch((error) => report(error, what));
    } while (await paused(ms, signal));
  };
  const work: OtherAudioJobs['work'] = async (signal, wake) => {
    const jobs = soundJobs(store, { onAdded: wake, onError: report });
    await Promise.all([
      jobs.run(signal),
      repeat(signal, PUBLISH_MS, 'filling tracks from audio', () => store.sounds.publish(signal)),
      repeat(signal, COUNT_MS, 'counting analyses', async () =>
        counted(await store.soundJobs.unmade()),
      ),
    ]);
  };
  return [{ queue: analysisJobs(store, onOutcome), work }];
}

/** Analyzes the audio of all live tracks that is not analyzed, in this process, and fills the tracks. */
export async function buildAnalyses(
  context: RenditionContext & Pick<AnalysisContext, 'store'>,
  options: BuildOptions,
): Promise<BuildResult> {
  const { store } = context;
  const built = await buildAll(context, options, {
    store: store.soundJobs,
    jobs: (onError) => soundJobs(store, { onError }),
    queue: (onOutcome) => analysisJobs(store, onOutcome),
  });
  await store.sounds.publish();
  return built;
}

/** Adds the jobs of live tracks, and fills tracks whose audio has been analyzed before. */
function soundJobs(
  {
    sounds,
    soundJobs: store,
    changes,
  }: Pick<AnalysisContext['store'], 'sounds' | 'soundJobs' | 'changes'>,
  options: { onAdded?: () => void; onError: (error: unknown, what: string) => void },
): RenditionJobs {
  return new RenditionJobs({
    ...options,
    store,
    changes,
    namesOf: analysesOf,
    onSounds: (found) => sounds.fill(found.flatMap(({ audioKey }) => audioKey ?? [])),
  });
}

function analysisJobs(
  { sounds, soundClaims: claims }: Pick<AnalysisContext['store'], 'sounds' | 'soundClaims'>,
  onOutcome: AudioQueue['onOutcome'],
): AudioQueue {
  return {
    claims,
    onOutcome,
    async make(thread, path, claim) {
      const found = await thread.analyze(path);
      return () => sounds.finish(claim, found);
    },
  };
}

function measured(metrics: Metrics) {
  const outcomes = metrics.counter(
    'stave_analyses_total',
    'Audio files that this node began to analyze, by outcome: made, failed, or retried later.',
    ['outcome'],
  );
  for (const outcome of ['made', 'failed', 'retried']) outcomes.count([outcome]);
  let unmade = { queued: 0, running: 0, failed: 0 };
  metrics.gauge(
    'stave_analyses_unmade',
    'Audio files of the catalog that are not analyzed, by state: queued, running or failed.',
    () => Object.entries(unmade).map(([state, value]) => [{ state }, value] as const),
  );
  return {
    onOutcome: ((outcome, count) =>
      outcomes.increment([outcome], count)) satisfies AudioQueue['onOutcome'],
    counted(counts: typeof unmade) {
      unmade = counts;
    },
  };
}
