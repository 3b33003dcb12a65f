import { mp3Bytes } from '../../../engines/audio/mp3/mp3-layout.ts';
import { parsedAudio } from '../../catalog/audio-properties.ts';
import { needsMp3, type StreamPolicy } from '../../catalog/streamed-audio.ts';
import type { RenditionName } from '../rendition.ts';
import type { StreamedTrack, StreamStore } from '../store/stream-store.ts';
import { recipeOf, streamName } from './stream-name.ts';

/** The tracks of one look-up. */
const SLICE = 500;
/** Jobs are done in the order in which they were added, so few are added at the same time. */
const ADDED_AT_ONCE = 20;

export interface AheadOptions {
  store: Pick<StreamStore, 'streamedTracks' | 'streamedBefore' | 'bytes' | 'add'>;
  policy: StreamPolicy;
  mostTracks: number;
  /** The most bytes that all streams may have. */
  mostBytes: number;
  /** The number of licenses of each track that has any, by id. */
  popularity: () => Promise<ReadonlyMap<string, number>>;
}

interface Candidate {
  name: RenditionName;
  bytes: number;
}

/**
 * Adds jobs for the streams of the most licensed tracks, and then of the newest ones, unless others would have to be removed
 * for them. Returns the number of jobs.
 */
export async function addAhead(options: AheadOptions, signal: AbortSignal): Promise<number> {
  const { store, mostTracks, mostBytes } = options;
  if (mostTracks === 0) return 0;
  let left = mostBytes - (await store.bytes());
  let added = 0;
  const wanted: Candidate[] = [];
  for await (const candidate of candidates(options)) {
    if (signal.aborted || wanted.push(candidate) === mostTracks) break;
  }
  for (let at = 0; at < wanted.length && !signal.aborted; at += ADDED_AT_ONCE) {
    const slice = wanted.slice(at, at + ADDED_AT_ONCE);
    const bytes = slice.reduce((sum, one) => sum + one.bytes, 0);
    if (bytes > left) break;
    const count = await store.add(slice.map(({ name }) => name));
    // Those that exist count already.
    if (count > 0) left -= bytes;
    added += count;
  }
  return added;
}

/** Yields the streams that live tracks need, each once, in the order in which they are made. */
async function* candidates({ store, policy, popularity }: AheadOptions): AsyncGenerator<Candidate> {
  const seen = new Set<string>();
  const needed = ({ audioKey, audioProperties, samples, isPlayable }: StreamedTrack) => {
    const { bitrate, sampleRate } = parsedAudio(audioProperties);
    // The length of others is known only after they are made.
    if (samples === null || sampleRate === null || seen.has(audioKey)) return [];
    if (!needsMp3({ audioKey, bitrate, isPlayable }, policy)) return [];
    seen.add(audioKey);
    const recipe = recipeOf(
      { audioKey, samples, sampleRate },
      { format: 'mp3', kbps: policy.kbps },
    );
    const name = streamName(audioKey, recipe);
    return [{ name, bytes: mp3Bytes(samples, sampleRate, policy.kbps) }];
  };
  const counts = await popularity();
  const ids = [...counts.keys()];
  const licensed: StreamedTrack[] = [];
  for (let at = 0; at < ids.length; at += SLICE) {
    licensed.push(...(await store.streamedTracks(ids.slice(at, at + SLICE))));
  }
  const countOf = ({ id }: StreamedTrack) => counts.get(id) ?? 0;
  licensed.sort((a, b) => countOf(b) - countOf(a) || b.rowId - a.rowId);
  yield* licensed.flatMap(needed);
  for (let before: number | undefined; ; ) {
    const tracks: readonly StreamedTrack[] = await store.streamedBefore(before, SLICE);
    if (tracks.length === 0) return;
    yield* tracks.flatMap(needed);
    before = tracks.at(-1)!.rowId;
  }
}
