import type { SeededRandom } from '../../src/common/seeded-random.ts';
import {
  type IndexQuery,
  type IndexSort,
  TRACK_SORTS,
} from '../../src/engines/search/catalog-index.ts';
import type { BenchQuery, SearchQuery } from './query.ts';
import type { Vocabulary } from './vocabulary.ts';

/** Draws a query of some kind. */
type Draw = (random: SeededRandom, vocabulary: Vocabulary) => BenchQuery;

/** The kinds of the query mix, a tenth of it each (bench/README.md, The queries). */
export const MIX_KINDS = {
  browse: (random, from) => {
    const pages = Math.max(1, Math.min(1_000, Math.floor(from.size / 100)));
    return search(random, about(random), random.integer(1, pages));
  },
  'one filter': (random, from) =>
    search(random, { filterIds: [from.filter(random)], ...about(random) }),
  'three filters': (random, from) =>
    search(random, { filterIds: from.filtersTogether(random, 3), ...about(random) }),
  word: (random, from) => search(random, { text: from.word(random, 3), ...about(random) }),
  prefix: (random, from) => {
    const word = from.word(random, 4);
    const text = word.slice(0, random.integer(3, word.length - 1));
    return search(random, { text, ...about(random) });
  },
  'two words and a filter': (random, from) =>
    search(random, {
      text: from.wordPair(random).join(' '),
      filterIds: [from.filter(random)],
      ...about(random),
    }),
  'inside a word': (random, from) => {
    const word = from.word(random, 6);
    const start = random.integer(1, word.length - 4);
    const text = word.slice(start, start + random.integer(3, word.length - start - 1));
    return search(random, { text, ...about(random) });
  },
  typo: (random, from) => {
    const word = from.word(random, 5);
    const typos = word.length >= 8 && random.next() < 0.5 ? 2 : 1;
    return search(random, { text: from.mistyped(random, word, typos), ...about(random) });
  },
  'deep page': (random, from) => {
    const filter = random.next() < 0.5 ? undefined : from.densestFilters(random, 5)[0]!;
    const share = filter === undefined ? 1 : from.share(filter);
    const pageSize = random.integer(10, 30);
    const pages = Math.max(1, Math.floor((from.size * share) / pageSize));
    return {
      indexQuery: filter === undefined ? {} : { filterIds: [filter] },
      page: random.integer(Math.ceil(pages / 10), pages),
      pageSize,
    };
  },
  facets: (random, from) => {
    const what = random.pick<IndexQuery>([
      {},
      { filterIds: [from.filter(random)] },
      { text: from.word(random, 3) },
    ]);
    return { ...search(random, { ...what, ...about(random) }), facets: true };
  },
} satisfies Record<string, Draw>;

/** The kinds that are measured separately from the mix. */
const OTHER_KINDS = {
  'flags and a filter': (random, from) => {
    const flags = { type: random.pick(['music', 'sfx'] as const), hasVocals: random.next() < 0.5 };
    return search(random, { ...flags, filterIds: [from.filter(random)] });
  },
  'one of several filters': (random, from) => {
    const filters = Array.from({ length: random.integer(2, 6) }, () => from.filter(random));
    return search(random, { anyFilterIds: [[...new Set(filters)]], ...about(random) });
  },
  'a filter without others': (random, from) => {
    const [filter, ...others] = from.filtersTogether(random, 3);
    return search(random, { filterIds: [filter!], notFilterIds: others, ...about(random) });
  },
  'another order': (random, from) => {
    const sort = random.pick<IndexSort>(TRACK_SORTS.filter((one) => one !== 'relevance'));
    const what = random.pick<IndexQuery>([
      {},
      { filterIds: [from.filter(random)] },
      { text: from.word(random, 3) },
    ]);
    return { ...search(random, { ...what, ...about(random) }, random.integer(1, 50)), sort };
  },
  ranges: (random, from) => search(random, { ...ranges(random, from), ...about(random) }),
  'short word': (random, from) =>
    search(random, { text: from.word(random, 1, 2), ...about(random) }, random.integer(1, 20)),
  suggest: (random, from) => {
    const word = from.word(random, 2);
    return { suggest: word.slice(0, random.integer(1, word.length)), limit: random.integer(5, 20) };
  },
} satisfies Record<string, Draw>;

/** Queries built to be slow (bench/README.md, The queries). */
export const HOSTILE_KINDS = {
  'one-letter prefix': (random) =>
    search(random, { text: oneLetter(random), ...about(random) }, random.integer(1, 300)),
  '50 filters': (random, from) =>
    search(random, { filterIds: from.densestFilters(random, 50), ...about(random) }),
  '100 one-letter words': (random) =>
    search(random, {
      text: Array.from({ length: 100 }, () => oneLetter(random)).join(' '),
      ...about(random),
    }),
  'typo near everything': (random, from) =>
    search(random, {
      text: from.mistyped(random, from.frequentWord(random), 1),
      ...about(random),
    }),
  '200 characters of typos': (random, from) => {
    let text = '';
    for (;;) {
      const longer = `${text} ${from.mistyped(random, from.frequentWord(random), 1)}`.trimStart();
      if (longer.length > 200) return search(random, { text, ...about(random) });
      text = longer;
    }
  },
} satisfies Record<string, Draw>;

/** The kinds of the part `one-core`, a tenth of it each (bench/README.md, One core). */
export const ONE_CORE_KINDS = [
  'browse',
  'one filter',
  'three filters',
  'flags and a filter',
  'word',
  'prefix',
  'two words and a filter',
  'inside a word',
  'typo',
  'deep page',
] as const satisfies readonly QueryKind[];

/** Every kind, by its name in the report. */
export const QUERY_KINDS = { ...MIX_KINDS, ...OTHER_KINDS, ...HOSTILE_KINDS };
/** The name of a kind. */
export type QueryKind = keyof typeof QUERY_KINDS;

/**
 * Usually the first page, of 20 tracks on average. The page size varies, so that more queries are different.
 */
function search(
  random: SeededRandom,
  indexQuery: IndexQuery,
  page = random.next() < 0.7 ? 1 : random.integer(2, 10),
): SearchQuery {
  return { indexQuery, page, pageSize: random.integer(10, 30) };
}

/** Restricts half of the queries to music or effects, or to tracks with or without vocals. */
function about(random: SeededRandom): Pick<IndexQuery, 'type' | 'hasVocals'> {
  return random.pick<Pick<IndexQuery, 'type' | 'hasVocals'>>([
    {},
    {},
    { type: random.next() < 0.8 ? 'music' : 'sfx' },
    { hasVocals: random.next() < 0.5 },
  ]);
}

/** At least one range or key, and a filter in half of the queries. */
function ranges(random: SeededRandom, from: Vocabulary): IndexQuery {
  const bpmMin = random.integer(60, 170);
  const durationMin = random.integer(0, 400);
  const releasedFrom = Date.UTC(random.integer(2000, 2012), random.integer(0, 11));
  const day = 86_400_000;
  const possible: IndexQuery[] = [
    { bpmMin, bpmMax: bpmMin + random.integer(2, 20) },
    { durationMin, durationMax: durationMin + random.integer(10, 200) },
    { releasedFrom, releasedTo: releasedFrom + random.integer(30, 1000) * day },
    { songKeys: [from.songKey(random)] },
  ];
  return {
    ...random.pick(possible),
    ...(random.next() < 0.5 && random.pick(possible)),
    ...(random.next() < 0.5 && { filterIds: [from.filter(random)] }),
  };
}

function oneLetter(random: SeededRandom): string {
  return random.pick([...'abcdefghijklmnopqrstuvwxyz0123456789']);
}
