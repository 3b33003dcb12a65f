import { OperatorError, StaveError } from '../../common/errors.ts';
import { didYouMean } from '../../common/text/explain.ts';
import type { TrackState } from '../availability/availability.ts';
import type { TrackRecord } from '../catalog/catalog-stores.ts';
import type { CatalogStore } from '../catalog/store/catalog-store.ts';
import { type FoundTrack, MAX_WORDS, wordsOf } from './found-track.ts';
import type { TrackFinder } from './store/track-finder.ts';

export const TRACK_STATES = [
  'live',
  'taken_down',
  'withdrawn',
  'unavailable',
] as const satisfies TrackState[];

export interface TrackSearch {
  source?: string | undefined;
  state?: TrackState | undefined;
  limit: number;
  /** How many matching tracks to skip. */
  offset?: number;
}

/**
 * Finds tracks of any state by words of their names, or by their slug, id or ISRC, which come first. Without a text, all
 * tracks match. Reads the database: some seconds for a million tracks, unless it finds enough of them before. Throws
 * OperatorError for a text without words, or with too many.
 */
export async function findTracks(
  finder: TrackFinder,
  text: string | undefined,
  { source, state, limit, offset = 0 }: TrackSearch,
): Promise<{ tracks: FoundTrack[]; isTruncated: boolean }> {
  const isWanted = (track: FoundTrack) =>
    (source === undefined || track.source === source) &&
    (state === undefined || track.state === state);
  const words = text === undefined ? [] : searchWords(text);
  const [named = []] = text === undefined ? [] : await finder.named([text]);
  const first = (await finder.withRowIds(named.slice(0, MAX_NAMED))).filter(isWanted);
  const known = new Set(first.map(({ rowId }) => rowId));
  let left = offset;
  const tracks: FoundTrack[] = [];
  const take = (found: readonly FoundTrack[]) => {
    tracks.push(...found.slice(left));
    left = Math.max(0, left - found.length);
  };
  take(first);
  for await (const found of finder.matching({ words, source, state })) {
    take(found.filter(({ rowId }) => !known.has(rowId)));
    if (tracks.length > limit) break;
  }
  return { tracks: tracks.slice(0, limit), isTruncated: tracks.length > limit };
}

function searchWords(text: string): string[] {
  // Hyphens of an ISRC would make several words of it.
  const words = wordsOf(text.replace(ISRC_HYPHENS, '$1$2$3$4'));
  if (words.length === 0) throw new OperatorError('the text has no letter or digit');
  if (words.length > MAX_WORDS) throw new OperatorError(`give at most ${MAX_WORDS} words`);
  return words;
}

/** The tracks of one ISRC that come first. */
const MAX_NAMED = 1_000;
const ISRC_HYPHENS = /\b([a-z]{2})-([a-z\d]{3})-(\d\d)-(\d{5})\b/gi;

/** Returns ` (did you mean …?)` for the slug that is nearest; `''` if none is near. */
export async function trackHint(
  finder: Pick<TrackFinder, 'slugsNear'>,
  name: string,
): Promise<string> {
  return didYouMean(name, await finder.slugsNear(name));
}

/** Finds a track of any state. Throws not_found. */
export async function findTrack(
  { catalog, trackFinder }: TrackStores,
  slugOrId: string,
): Promise<TrackRecord> {
  const id = await catalog.resolveTrack(slugOrId);
  const record = id === undefined ? undefined : await catalog.trackRecord(id);
  if (record === undefined) {
    const hint = await trackHint(trackFinder, slugOrId);
    throw new StaveError('not_found', `There is no track ${slugOrId}${hint}.`);
  }
  return record;
}

interface TrackStores {
  catalog: Pick<CatalogStore, 'resolveTrack' | 'trackRecord'>;
  trackFinder: Pick<TrackFinder, 'slugsNear'>;
}
