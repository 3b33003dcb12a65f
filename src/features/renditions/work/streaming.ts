import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, HOUR_MS, MINUTE_MS } from '../../../common/clock.ts';
import { makePrivateFolder, removeAbandoned } from '../../../common/files.ts';
import type { Log } from '../../../common/log.ts';
import type { OpenCounts } from '../../../common/memory/open-counts.ts';
import { findFfmpeg, isExecutable } from '../../../engines/audio/ffmpeg-reader.ts';
import type { Mp3Kbps } from '../../../engines/audio/mp3/mp3-layout.ts';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import type { Metrics } from '../../../engines/http/metrics/metrics.ts';
import { paused } from '../rendition-presence.ts';
import type { AudioQueue } from '../rendition-processor.ts';
import type { RenditionClaimStore } from '../store/rendition-claim-store.ts';
import type { StreamStore } from '../store/stream-store.ts';
import { Encodings } from '../streams/encodings.ts';
import { recipeOfName, streamFile } from '../streams/stream-name.ts';
import { Streams } from '../streams/streams.ts';
import { localAudio, type OtherAudioJobs } from './renditions.ts';

export interface StreamContext {
  config: {
    dataFolder: string;
    previewThreads: number;
    ffmpeg: { setting: string | null; searchPath: string };
    streamKbps: Mp3Kbps;
    streamCacheGb: number;
  };
  store: { streams: StreamStore; streamClaims: RenditionClaimStore; isReachable(): boolean };
  media: MediaStore;
  clock: Clock;
  log: Log;
}

/** The folder within the data folder for streams that are not complete. */
const UNFINISHED_FOLDER = 'unfinished-streams';
/** The age of a file there whose process was killed. */
const ABANDONED_MS = HOUR_MS;
/** How often the least used streams are removed. */
const REMOVE_MS = MINUTE_MS;
const REMOVED_AT_ONCE = 100;
const GB = 1e9;

/**
 * Makes MP3 files for streaming on this node: for requests at once, and others in the threads that make renditions.
 *
 * @param deps.openCounts counts for all workers of this node
 */
export function streaming(
  context: StreamContext,
  { metrics, openCounts }: { metrics: Metrics; openCounts: OpenCounts },
) {
  const { config, store, media, clock, log } = context;
  const folder = join(config.dataFolder, UNFINISHED_FOLDER);
  const onError = (error: unknown, what: string) => {
    if (store.isReachable()) log.error({ err: error }, `${what} failed`);
  };
  const onOutcome = measuredStreams(metrics);
  const ffmpeg = async () => {
    const path = await findFfmpeg(config.ffmpeg.setting, config.ffmpeg.searchPath);
    return path !== undefined && (await isExecutable(path)) ? path : undefined;
  };
  const encodings =
    config.previewThreads === 0
      ? undefined
      : new Encodings({
          ...{ store: store.streams, media, folder, ffmpeg, openCounts, onOutcome, onError },
          audio: localAudio(context),
        });
  const jobs: OtherAudioJobs = {
    queue: streamJobs({ claims: store.streamClaims, media, folder, onOutcome }),
    async work(signal) {
      do {
        try {
          await removeAbandoned(folder, ABANDONED_MS, clock);
          await removeLeastUsed(store.streams, media, config.streamCacheGb * GB);
        } catch (error) {
          onError(error, 'removing streams');
        }
      } while (await paused(REMOVE_MS, signal));
    },
  };
  return {
    streams: new Streams({
      ...{ kbps: config.streamKbps, store: store.streams, media, encodings, ffmpeg },
    }),
    jobs,
    start() {},
    /** Ends the encodings for requests. */
    stop: async () => encodings?.close(),
  };
}

/** The queue of streams that no request waits for on this node. */
function streamJobs({
  claims,
  media,
  folder,
  onOutcome,
}: Pick<AudioQueue, 'claims' | 'onOutcome'> & {
  media: Pick<MediaStore, 'keepDerivedFile'>;
  folder: string;
}): AudioQueue {
  return {
    claims,
    onOutcome,
    async make(thread, path, claim) {
      await makePrivateFolder(folder);
      await using targets = new AsyncDisposableStack();
      const made: { target: string; mediaKey: string; sizeBytes: number }[] = [];
      for (const name of claim.names) {
        const target = join(folder, `${randomUUID()}.mp3`);
        targets.defer(() => rm(target, { force: true }));
        const sizeBytes = await thread.encode({ path, target, ...recipeOfName(name) });
        made.push({ target, mediaKey: streamFile(name), sizeBytes });
      }
      const kept = targets.move();
      return async () => {
        await using _ = kept;
        for (const { target, mediaKey } of made) await media.keepDerivedFile(mediaKey, target);
        return claims.finish(claim, made);
      };
    },
  };
}

/** Removes the streams that were not used for the longest time until the others have at most this many bytes. */
export async function removeLeastUsed(
  store: Pick<StreamStore, 'bytes' | 'leastUsed' | 'forget'>,
  media: Pick<MediaStore, 'removeDerived'>,
  mostBytes: number,
): Promise<void> {
  let bytes = await store.bytes();
  while (bytes > mostBytes) {
    const found = await store.leastUsed(REMOVED_AT_ONCE);
    if (found.length === 0) return;
    for (const stream of found) {
      if (bytes <= mostBytes) return;
      // One that is not forgotten was used, or another node removes it.
      if (await store.forget(stream)) await media.removeDerived(stream.mediaKey);
      bytes -= stream.sizeBytes;
    }
  }
}

function measuredStreams(metrics: Metrics): AudioQueue['onOutcome'] {
  const outcomes = metrics.counter(
    'stave_streams_total',
    'MP3 files for streaming that this node began to make, by outcome: made, failed, or retried later.',
    ['outcome'],
  );
  for (const outcome of ['made', 'failed', 'retried']) outcomes.count([outcome]);
  return (outcome, count) => outcomes.increment([outcome], count);
}
