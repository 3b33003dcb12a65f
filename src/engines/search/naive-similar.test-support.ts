import type { ComparedFilters, IndexEntry, SimilarQuery, SimilarTrack } from './catalog-index.ts';
import { readingOf } from './naive-ranks.test-support.ts';

/**
 * The reference implementation of similar tracks for the tests: the rules of docs/contract/similar.md in the simplest
 * way. It scores and sorts all tracks.
 */
export function naiveSimilar(
  entries: readonly IndexEntry[],
  query: SimilarQuery,
  { genres, moods }: ComparedFilters,
): SimilarTrack[] | undefined {
  const seed = entries.find(({ id }) => id === query.id);
  if (seed === undefined) return undefined;
  const genresOf = ({ filterIds }: IndexEntry) => filterIds.filter((id) => genres.has(id));
  const moodsOf = ({ filterIds }: IndexEntry) => filterIds.filter((id) => moods.has(id));
  const [hasGenres, hasMoods] = [genresOf(seed).length > 0, moodsOf(seed).length > 0];
  const hasBpm = seed.bpm > 0;
  const weights = [
    ...(hasGenres ? [0.4] : []),
    ...(hasMoods ? [0.35] : []),
    ...(hasBpm ? [0.25] : []),
  ];
  const weight = weights.reduce((sum, one) => sum + one, 0);

  const found: { entry: IndexEntry; track: SimilarTrack }[] = [];
  for (const entry of entries) {
    if (entry.type !== (query.type ?? seed.type)) continue;
    if (query.hasVocals !== undefined && entry.hasVocals !== query.hasVocals) continue;
    if (!(query.filterIds ?? []).every((id) => entry.filterIds.includes(id))) continue;
    if (isSameRecording(seed, entry)) continue;
    const genre = hasGenres ? jaccard(genresOf(seed), genresOf(entry)) : null;
    const mood = hasMoods ? jaccard(moodsOf(seed), moodsOf(entry)) : null;
    const bpm = hasBpm ? nearness(seed, entry, query.bpmRange) : null;
    const isCandidate = hasGenres || hasMoods ? (genre ?? 0) + (mood ?? 0) > 0 : (bpm ?? 0) > 0;
    if (!isCandidate) continue;
    let sum = 0;
    if (genre !== null) sum += 0.4 * genre;
    if (mood !== null) sum += 0.35 * mood;
    if (bpm !== null) sum += 0.25 * bpm;
    const keys = seed.songKeys.map((key) => key.toLowerCase());
    found.push({
      entry,
      track: {
        rowId: entry.rowId,
        id: entry.id,
        score: rounded(sum / weight),
        genre: genre && rounded(genre),
        mood: mood && rounded(mood),
        bpm: bpm && rounded(bpm),
        key: entry.songKeys.some((key) => keys.includes(key.toLowerCase())),
        hasVocals: entry.hasVocals === seed.hasVocals,
        sharedFilterIds: [...genresOf(seed), ...moodsOf(seed)]
          .filter((id) => entry.filterIds.includes(id))
          .sort(),
      },
    });
  }
  const order = (a: (typeof found)[number], b: (typeof found)[number]) =>
    b.track.score - a.track.score ||
    Number(b.track.key) - Number(a.track.key) ||
    Number(b.track.hasVocals) - Number(a.track.hasVocals) ||
    b.entry.releasedAt - a.entry.releasedAt ||
    (a.entry.id < b.entry.id ? -1 : 1);
  return found
    .sort(order)
    .slice(0, query.limit)
    .map(({ track }) => track);
}

function isSameRecording(seed: IndexEntry, entry: IndexEntry): boolean {
  if (seed.id === entry.id || (seed.isrc !== '' && seed.isrc === entry.isrc)) return true;
  const form = (text: string) => readingOf(text).glued || text.normalize('NFC');
  const artists = seed.artists.map(form);
  return (
    seed.durationSeconds > 0 &&
    entry.durationSeconds > 0 &&
    Math.abs(seed.durationSeconds - entry.durationSeconds) <= 2 &&
    form(seed.name) === form(entry.name) &&
    entry.artists.some((artist) => artists.includes(form(artist)))
  );
}

function jaccard(one: readonly string[], other: readonly string[]): number {
  const shared = one.filter((id) => other.includes(id)).length;
  return shared / new Set([...one, ...other]).size;
}

function nearness(seed: IndexEntry, entry: IndexEntry, bpmRange: number): number {
  if (entry.bpm === 0) return 0;
  const [a, b] = [Math.round(seed.bpm * 1000), Math.round(entry.bpm * 1000)];
  const distance = Math.min(Math.abs(a - b), Math.abs(a - 2 * b), Math.abs(a - b / 2));
  return Math.max(0, 1 - distance / (1000 * bpmRange));
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
