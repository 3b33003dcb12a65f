import type { Concept, IndexEntry, Ranking } from './catalog-index.ts';
import { type Fields, newest, passes } from './naive-index.test-support.ts';
import { type Reading, readingOf } from './naive-ranks.test-support.ts';

interface NaiveTrack {
  entry: IndexEntry;
  /** Whether it meets the query. */
  isAdmitted: boolean;
  read: Fields;
}

interface RankedTrack {
  entry: IndexEntry;
  carried: number[];
  points: number;
}

/** All tracks that match, in order: what CatalogIndex.rank describes, with its rounding. */
export function naiveRank(
  tracks: readonly NaiveTrack[],
  { concepts, required = [], excluded = [], instrumentalFirst = false }: Ranking,
): RankedTrack[] {
  const rarity = (count: number) => Math.log(1 + (tracks.length - count + 0.5) / (count + 0.5));
  const most = concepts.reduce((sum, { weight }) => sum + weight, 0) * rarity(1);
  const points = concepts.map((concept) => {
    const count = tracks.filter((track) => carries(track, concept)).length;
    return Math.max(1, Math.round((concept.weight * rarity(count) * 32_000) / most));
  });
  const isLater = ({ isInstrumental }: IndexEntry) =>
    instrumentalFirst && !isInstrumental ? 1 : 0;
  return tracks
    .filter(({ isAdmitted }) => isAdmitted)
    .filter(({ entry }) => required.every((query) => passes(entry, query)))
    .filter((track) => !excluded.some((concept) => carries(track, concept)))
    .map((track) => {
      const carried = [...concepts.keys()].filter((i) => carries(track, concepts[i]!));
      carried.sort((a, b) => points[b]! - points[a]! || a - b);
      return {
        entry: track.entry,
        carried,
        points: carried.reduce((sum, i) => sum + points[i]!, 0),
      };
    })
    .filter(({ carried }) => concepts.length === 0 || carried.length > 0)
    .sort(
      (a, b) =>
        b.points - a.points || isLater(a.entry) - isLater(b.entry) || newest(a.entry, b.entry),
    );
}

function carries({ entry, read }: NaiveTrack, concept: Concept): boolean {
  const { filterIds = [], tags = [], artists = [], words = [], meets } = concept;
  const nameWords = read.name.flatMap((name) => name.words);
  return (
    (meets !== undefined && passes(entry, meets)) ||
    filterIds.some((id) => entry.filterIds.includes(id)) ||
    tags.some((tag) => read.tags.some((one) => isEqual(one, readingOf(tag)))) ||
    artists.some((artist) => read.artists.some((one) => isEqual(one, readingOf(artist)))) ||
    words.some((text) =>
      formsOf(readingOf(text)).some((form) =>
        form.split(' ').every((word) => nameWords.includes(word)),
      ),
    )
  );
}

function formsOf({ glued, split }: Reading): string[] {
  return [glued, split].filter((form) => form !== '');
}

export function isEqual(one: Reading, other: Reading): boolean {
  return formsOf(one).some((form) => formsOf(other).includes(form));
}
