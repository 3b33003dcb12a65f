import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, HOUR_MS, MINUTE_MS } from '../../../common/clock.ts';
import { makePrivateFolder, removeAbandoned } from '../../../common/files.ts';
import type { Log } from '../../../common/log.ts';
import type { OpenCounts } from '../../../common/memory/open-counts.ts';
import { findUsableFfmpeg } from '../../../engines/audio/find-ffmpeg.ts';
import type { Mp3Kbps } from '../../../engines/audio/mp3/mp3-layout.ts';
import type { MediaStore } from '../../../engines/blobs/media-store.ts';
import type { Metrics } from '../../../engines/http/metrics/metrics.ts';
import type { StreamPolicy } from '../../catalog/streamed-audio.ts';
import { paused } from '../rendition-presence.ts';
import type { AudioQueue } from '../rendition-processor.ts';
import type { RenditionClaimStore } from '../store/rendition-claim-store.ts';
import type { StreamStore } from '../store/stream-store.ts';
import { Encodings } from '../streams/encodings.ts';
import { recipeOfName, streamFile } from '../streams/stream-name.ts';
import { Streams } from '../streams/streams.ts';
import type { AheadOptions } from '../streams/streams-ahead.ts';
import { localAudio, type OtherAudioJobs } from './renditions.ts';

export interface StreamContext {
  config: {
    dataFolder: string;
    previewThreads: number;
    ffmpeg: { setting: string | null; searchPath: string };
    streamKbps: Mp3Kbps;
    streamAhead: number;
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
/** How often the tracks are read whose streams are made before a request. */
const AHEAD_MS = HOUR_MS;
/** The first time is after a start, when requests and the index come first. */
const FIRST_AHEAD_MS = MINUTE_MS;
const REMOVED_AT_ONCE = 100;
const GB = 1e9;

/**
 * Makes MP3 files for streaming on this node: for requests at once, and others in the threads that make renditions.
 *
 * @param deps.openCounts counts for all workers of this node
 * @param deps.policy decides which tracks need an MP3
 */
export function streaming(
  context: StreamContext,
  {
    metrics,
    openCounts,
    policy,
    popularity,
  }: {
    metrics: Metrics;
    openCounts: OpenCounts;
    policy: StreamPolicy;
    popularity: AheadOptions['popularity'];
  },
) {
  const { config, store, media, clock, log } = context;
  const folder = join(config.dataFolder, UNFINISHED_FOLDER);
  const onError = (error: unknown, what: string) => {
    if (store.isReachable()) log.error({ err: error }, `${what} failed`);
  };
  const onOutcome = measuredStreams(metrics);
  const ffmpeg = () => findUsableFfmpeg(config.ffmpeg.setting, config.ffmpeg.searchPath);
  const encodings =
    config.previewThreads === 0
      ? undefined
      : new Encodings({
          ...{ store: store.streams, media, folder, ffmpeg, openCounts, onOutcome, onError },
          audio: localAudio(context),
        });
  const jobs: OtherAudioJobs = {
    queue: streamJobs({ claims: store.streamClaims, media, folder, onOutcome }),
    async work(signal, wake) {
      const mostBytes = config.streamCacheGb * GB;
      const repeat = async (firstMs: number, ms: number, run: () => Promise<void>) => {
        for (let next = firstMs; await paused(next, signal); next = ms) {
          await run().catch((error) => onError(error, 'choosing which streams are kept'));
        }
      };
      const remove = async () => {
        await removeAbandoned(folder, ABANDONED_MS, clock);
        await removeLeastUsed(store.streams, media, mostBytes);
      };
      const prepare = async () => {
        await removeUnnamed(store.streams, media);
        // Loaded when the node has started.
        const { addAhead } = await import('../streams/streams-ahead.ts');
        const ahead = { mostTracks: config.streamAhead, mostBytes, policy, popularity };
        if ((await addAhead({ store: store.streams, ...ahead }, signal)) > 0) wake();
      };
      await Promise.all([repeat(0, REMOVE_MS, remove), repeat(FIRST_AHEAD_MS, AHEAD_MS, prepare)]);
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
    isUrgent: true,
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

/** Removes the streams of audio that neither a track nor the former content of a track names. */
export async function removeUnnamed(
  store: Pick<StreamStore, 'unnamed' | 'dropUnnamedOf'>,
  media: Pick<MediaStore, 'removeDerived'>,
): Promise<void> {
  for (let after = ''; ; ) {
    const found = await store.unnamed(after, REMOVED_AT_ONCE);
    if (found.length === 0) return;
    for (const { mediaKey } of found) {
      // If a track names the audio again meanwhile, the file is made again.
      if (mediaKey !== null) await media.removeDerived(mediaKey);
    }
    const keys = found.map(({ audioKey }) => audioKey);
    await store.dropUnnamedOf([...new Set(keys)]);
    after = keys.at(-1)!;
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
