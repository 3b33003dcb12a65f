import type {
  ComparedFilters,
  ExampleQuery,
  IndexEntry,
  SimilarQuery,
  SimilarTrack,
} from './catalog-index.ts';
import { readingOf } from './naive-ranks.test-support.ts';

type Seed = Partial<IndexEntry> & Pick<IndexEntry, 'bpm' | 'songKeys' | 'filterIds'>;

/** A track that is compared, with its scores; undefined if it has none. */
interface Found {
  entry: IndexEntry;
  track: SimilarTrack;
  byMetadata: number | undefined;
  bySound: number | undefined;
}

/**
 * The reference implementation of similar tracks for the tests: the rules of docs/contract/similar.md in the simplest
 * way. It scores and sorts all tracks.
 */
export function naiveSimilar(
  entries: readonly IndexEntry[],
  query: SimilarQuery,
  compared: ComparedFilters,
): SimilarTrack[] | undefined {
  const seed = entries.find(({ id }) => id === query.id);
  if (seed === undefined) return undefined;
  const { by = 'metadata', limit } = query;
  const all = compareAll(entries, seed, query, compared);
  const inOrder = (scoreOf: (found: Found) => number | undefined) =>
    all
      .filter((found) => scoreOf(found) !== undefined)
      .map((found) => ({ ...found, track: { ...found.track, score: scoreOf(found)! } }))
      .sort(order);
  const byMetadata = inOrder((found) => found.byMetadata);
  if (by === 'metadata') {
    return byMetadata.slice(0, limit).map(({ track }) => ({ ...track, sound: null }));
  }
  if (seed.sound === undefined) throw new Error('not analyzed');
  const bySound = inOrder((found) => found.bySound);
  if (by === 'sound') return fewOfAnArtist(bySound, limit);
  const [first, second] = [byMetadata, bySound].map((found) => found.slice(0, 250));
  const pool = new Set([...first!, ...second!].map(({ entry }) => entry.id));
  const rankIn = (found: readonly Found[]) => {
    const ids = found.map(({ entry }) => entry.id).filter((id) => pool.has(id));
    return (id: string) => (ids.includes(id) ? ids.indexOf(id) : ids.length) + 1;
  };
  const [metadataRank, soundRank] = [rankIn(byMetadata), rankIn(bySound)];
  const byBoth = all
    .filter(({ entry }) => pool.has(entry.id))
    .map((found) => {
      const rank = (metadataRank(found.entry.id) + soundRank(found.entry.id)) / 2;
      return { ...found, track: { ...found.track, score: rounded(1 - (rank - 1) / pool.size) } };
    });
  return fewOfAnArtist(byBoth.sort(order), limit);
}

export function naiveSoundingLike(
  entries: readonly IndexEntry[],
  { example, ...query }: ExampleQuery,
  compared: ComparedFilters,
): SimilarTrack[] {
  const found = compareAll(entries, { ...example, filterIds: [] }, query, compared)
    .filter(({ bySound }) => bySound !== undefined)
    .map((one) => ({ ...one, track: { ...one.track, score: one.bySound! } }));
  return fewOfAnArtist(found.sort(order), query.limit);
}

/** Moves the tracks of an artist from the fourth on behind the first ten, if these are ten. */
function fewOfAnArtist(found: readonly Found[], limit: number): SimilarTrack[] {
  const first: Found[] = [];
  for (const one of found) {
    const artistOf = ({ entry }: Found) => form(entry.artists[0] ?? entry.id);
    const same = first.filter((other) => artistOf(other) === artistOf(one));
    if (first.length < 10 && same.length < 3) first.push(one);
  }
  const others = first.length < 10 ? [] : found.filter((one) => !first.includes(one));
  return [...first, ...others].slice(0, limit).map(({ track }) => track);
}

function order(a: Found, b: Found): number {
  return (
    b.track.score - a.track.score ||
    Number(b.track.key) - Number(a.track.key) ||
    Number(b.track.hasVocals) - Number(a.track.hasVocals) ||
    b.entry.releasedAt - a.entry.releasedAt ||
    (a.entry.id < b.entry.id ? -1 : 1)
  );
}

/** All tracks that meet the query, except for other releases of the recording. */
function compareAll(
  entries: readonly IndexEntry[],
  seed: Seed,
  query: Omit<SimilarQuery, 'id' | 'by'>,
  { genres, moods }: ComparedFilters,
): Found[] {
  const genresOf = ({ filterIds }: Seed) => filterIds.filter((id) => genres.has(id));
  const moodsOf = ({ filterIds }: Seed) => filterIds.filter((id) => moods.has(id));
  const [hasGenres, hasMoods] = [genresOf(seed).length > 0, moodsOf(seed).length > 0];
  const hasBpm = seed.bpm > 0;
  const weights = [
    ...(hasGenres ? [0.4] : []),
    ...(hasMoods ? [0.35] : []),
    ...(hasBpm ? [0.25] : []),
  ];
  const weight = weights.reduce((sum, one) => sum + one, 0);

  const found: Found[] = [];
  for (const entry of entries) {
    const type = query.type ?? seed.type;
    if (type !== undefined && entry.type !== type) continue;
    if (query.hasVocals !== undefined && entry.hasVocals !== query.hasVocals) continue;
    if (!(query.filterIds ?? []).every((id) => entry.filterIds.includes(id))) continue;
    if (isSameRecording(seed, entry)) continue;
    const genre = hasGenres ? jaccard(genresOf(seed), genresOf(entry)) : null;
    const mood = hasMoods ? jaccard(moodsOf(seed), moodsOf(entry)) : null;
    const bpm = hasBpm ? nearness(seed, entry, query.bpmRange) : null;
    const isCandidate = hasGenres || hasMoods ? (genre ?? 0) + (mood ?? 0) > 0 : (bpm ?? 0) > 0;
    let sum = 0;
    if (genre !== null) sum += 0.4 * genre;
    if (mood !== null) sum += 0.35 * mood;
    if (bpm !== null) sum += 0.25 * bpm;
    const keys = seed.songKeys.map((key) => key.toLowerCase());
    const bySound = seed.sound && entry.sound && rounded(likeness(seed.sound, entry.sound));
    found.push({
      entry,
      byMetadata: isCandidate ? rounded(sum / weight) : undefined,
      bySound,
      track: {
        rowId: entry.rowId,
        id: entry.id,
        score: 0,
        genre: genre && rounded(genre),
        mood: mood && rounded(mood),
        bpm: bpm && rounded(bpm),
        sound: bySound ?? null,
        key: entry.songKeys.some((key) => keys.includes(key.toLowerCase())),
        hasVocals: entry.hasVocals === seed.hasVocals,
        sharedFilterIds: [...genresOf(seed), ...moodsOf(seed)]
          .filter((id) => entry.filterIds.includes(id))
          .sort(),
      },
    });
  }
  return found;
}

function likeness(one: Uint8Array, other: Uint8Array): number {
  const [a, b] = [one, other].map((sound) => [...new Int8Array(sound)]);
  const product = (x: readonly number[], y: readonly number[]) =>
    x.reduce((sum, number, i) => sum + number * y[i]!, 0);
  return Math.max(0, product(a!, b!) / Math.sqrt(product(a!, a!) * product(b!, b!)));
}

function form(text: string): string {
  return readingOf(text).glued || text.normalize('NFC');
}

function isSameRecording(seed: Seed, entry: IndexEntry): boolean {
  if (seed.id === undefined) return false;
  if (seed.id === entry.id || (seed.isrc !== '' && seed.isrc === entry.isrc)) return true;
  const { name = '', artists: credits = [], durationSeconds = 0 } = seed;
  const artists = credits.map(form);
  return (
    durationSeconds > 0 &&
    entry.durationSeconds > 0 &&
    Math.abs(durationSeconds - entry.durationSeconds) <= 2 &&
    form(name) === form(entry.name) &&
    entry.artists.some((artist) => artists.includes(form(artist)))
  );
}

function jaccard(one: readonly string[], other: readonly string[]): number {
  const shared = one.filter((id) => other.includes(id)).length;
  return shared / new Set([...one, ...other]).size;
}

function nearness(seed: Seed, entry: IndexEntry, bpmRange: number): number {
  if (entry.bpm === 0) return 0;
  const [a, b] = [Math.round(seed.bpm * 1000), Math.round(entry.bpm * 1000)];
  const distance = Math.min(Math.abs(a - b), Math.abs(a - 2 * b), Math.abs(a - b / 2));
  return Math.max(0, 1 - distance / (1000 * bpmRange));
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
