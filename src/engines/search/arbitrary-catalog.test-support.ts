import fc from 'fast-check';
import { seededRandom } from '../../common/seeded-random.ts';
import {
  AI_SHARES,
  type FilterNames,
  INDEX_SORTS,
  type IndexEntry,
  type IndexQuery,
  TEXT_FIELDS,
  TRAINING_ANSWERS,
  VOCALS,
} from './catalog-index.ts';

/**
 * The identity of the i-th track. The orders of `id`, `rowId` and `i` are independent of each other. Ids and
 * row ids reach their greatest values. Some ids differ in their first digit, others in their last.
 */
export function identity(i: number): Pick<IndexEntry, 'id' | 'rowId'> {
  const start = ['00000000', '7fffffff', '80000000', 'ffffffff'][i % 4]!;
  const end = String((i * 7_919) % 1_000_003).padStart(12, '0');
  return { id: `${start}-0000-4000-8000-${end}`, rowId: i % 2 === 0 ? i + 1 : 2 ** 32 - i };
}

/** The ids of the first `count` tracks. */
export function firstIds(count: number): string[] {
  return Array.from({ length: count }, (_, i) => identity(i).id);
}

/** The id of filter `n`. */
export function filterId(n: number): string {
  return `f0000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
}

/** Few different letters, so that words often equal, begin or contain each other, or differ by a typo. */
const word = fc.oneof(
  { weight: 5, arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 4 }) },
  {
    weight: 2,
    arbitrary: fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 4, maxLength: 10 }),
  },
  fc.string({ unit: fc.constantFrom('夜', '静', 'か', 'が', '\u3099', '𠮷', '𠮸'), maxLength: 5 }),
  fc.string({ unit: fc.constantFrom('a', 'b', "'", '’', '´'), maxLength: 6 }),
  fc.string({ unit: fc.constantFrom('カ', 'か', 'ガ', 'ー', 'あ', 'ｶ', 'ﾞ'), maxLength: 4 }),
  fc.string({ unit: fc.constantFrom(...'하한핞학앆과고닭달ㅎㄴㄱ'), maxLength: 4 }),
  fc.constantFrom('á', 'A\u0301b', "a'b", 'Æ', 'ß', 'ss', 'กำ', 'ก', 'ก่', '™', 'tm', 'ﾞ', '1', '٣'),
);
/** Words and signs that give a name other forms, and some of these forms. */
const respelled = fc.constantFrom(
  ...['P!nk', 'pink', 'a$b', '$aab$', 'wi-fi', 'wifi', 'a.b.', 'ab/ba', 'ab', 'b1a', 'bla'],
  ...['and', '&', 'with', 'feat.', 'y', 'Vol.', 'volume', 'No.', '#', '№', 'Pt.', 'part'],
  ...['1', '2', 'i', 'II', 'ii', '1st', 'first', 'second', '2nd'],
  ...['Катюша', 'katyusha', 'katiu', 'Ночь', 'noch', 'か', 'ka', 'ラブ', 'rabu', '夜', 'ye'],
  ...['北京', 'beijing', 'bei', '愛', '爱', 'ai', '사랑', 'sarang', 'रात', 'raat', 'รัก', 'rak'],
  ...['حبيبي', 'حبيبى', 'habibi', 'الحب', 'hubb', 'שלום', 'shalom', 'צה"ל', 'צהל'],
);
const symbols = fc.constantFrom('-', '...', '.', '* *', '_', '’', '´', '\u0301', '❤', ' ', '™');

/** Names with everything that folding and ranking treat specially. */
export const oddName = fc
  .array(
    fc.oneof(
      { weight: 4, arbitrary: word },
      { weight: 2, arbitrary: respelled },
      { weight: 1, arbitrary: symbols },
    ),
    { maxLength: 5 },
  )
  .chain((parts) => fc.constantFrom('', ' ', ' ', ' - ').map((gap) => parts.join(gap)));

/** Names of one to three words from a small set, so that each word except the last is in many names. */
export const plainName = fc
  .array(
    fc.oneof(
      {
        weight: 20,
        arbitrary: fc.constantFrom(
          'night',
          'Nights',
          'moon',
          'a',
          'Rain',
          'in',
          'morning',
          '夜の歌',
        ),
      },
      fc.constantFrom(
        'Moonlight',
        'nightly',
        'é',
        '-',
        '...',
        '2',
        "Night's",
        'l’ain',
        "d'a",
        '밤',
        'N1ght',
        'Moon-Light',
        'and',
        'Ночь',
        'noch',
        'II',
        '夜',
        'ye',
      ),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map((words) => words.join(' '));

/** Few dates, so that ties are frequent. They include dates before 1970 and the ends of the range of dates. */
const releasedAt = fc.constantFrom(
  ...[-86_400_000, 0, 1, 1_700_000_000_000, 1_700_000_000_001],
  ...[-62_135_596_800_000, 253_402_300_799_999],
);
const bpm = fc.constantFrom(0, 60, 90.5, 119.999, 120, 120.001, 999.999, 1_000);
const durationSeconds = fc.constantFrom(0, 1, 30, 180, 181, 8_359, 2_097_151, 10_000_000);
const songKeys = ['C major', 'C MAJOR', 'a minor', 'F♯ minor', 'fis-moll', 'É major'];
/** Few artists and tags, so that many tracks share them; some have words that occur in names. */
const artists = [
  'The Moon',
  'night',
  "L'Ain & Co",
  'a b',
  '!!!',
  'ガール',
  '한',
  "d'a",
  'abba',
  'Moonlit',
  'Ночь',
  'AB/BA',
];
const tags = ['rain', 'moon light', 'a', "b'a", '...', 'nights', 'aabb', 'Moon-Light', '夜'];
/** The last one is on few tracks. */
const regions = ['WORLD', 'WORLD', 'WORLD', 'WORLD', 'DE', 'DE', 'DACH', 'EU-WEST'];
const isrcs = ['USUAN1100001', 'USUAN1100003'];

/** Filters 0 to 5: the first is on nearly every track, the last on few. */
const filterIds = fc
  .tuple(...[0.9, 0.5, 0.3, 0.1, 0.03, 0.01].map((share) => withChance(share)))
  .map((carried) => carried.flatMap((isCarried, n) => (isCarried ? [filterId(n)] : [])));

function withChance(share: number): fc.Arbitrary<boolean> {
  const weight = Math.round(share * 100);
  return fc.oneof(
    { weight: 100 - weight, arbitrary: fc.constant(false) },
    { weight, arbitrary: fc.constant(true) },
  );
}

/** The values of a track except for its identity. */
function trackValues(name: fc.Arbitrary<string>): fc.Arbitrary<Omit<IndexEntry, 'id' | 'rowId'>> {
  const values = fc.record({
    name,
    type: fc.constantFrom('music', 'music', 'music', 'sfx'),
    hasVocals: withChance(0.05),
    isInstrumental: withChance(0.3),
    isSilent: withChance(0.1),
    ai: fc.constantFrom(undefined, undefined, ...AI_SHARES),
    trainingAllowed: fc.constantFrom(undefined, true, false),
    releasedAt,
    durationSeconds,
    bpm,
    songKeys: fc.subarray(songKeys, { maxLength: 2 }),
    filterIds,
    isrc: fc.oneof(
      { weight: 4, arbitrary: fc.constant('') },
      { weight: 1, arbitrary: fc.constantFrom(...isrcs) },
    ),
    artists: fc.subarray(artists, { maxLength: 3 }),
    tags: fc.subarray(tags, { maxLength: 3 }),
    region: fc.constantFrom(...regions),
    availableIn: fc.constantFrom(
      undefined,
      undefined,
      undefined,
      undefined,
      'DE',
      'AT DE',
      'AT EE',
    ),
    translations: fc.option(translations(name), { freq: 3 }),
  });
  return values.map(({ translations, isInstrumental, isSilent, ...given }) => {
    const { availableIn, ai, trainingAllowed, ...others } = given;
    return {
      ...others,
      ...(isInstrumental && !others.hasVocals && { isInstrumental }),
      ...(isSilent && { hasAudio: false }),
      ...(ai !== undefined && ai !== 'unknown' && { ai }),
      ...(trainingAllowed !== undefined && { trainingAllowed }),
      ...(availableIn !== undefined && { availableIn }),
      ...translations,
    };
  });
}

/** Translations, which are often equal to originals, or to those of other tracks. */
function translations(
  name: fc.Arbitrary<string>,
): fc.Arbitrary<Pick<IndexEntry, 'aliases' | 'aliasTags'>> {
  return fc
    .record({
      aliases: fc.uniqueArray(
        name.filter((one) => one.trim() !== '').map((one) => one.normalize('NFC')),
        { minLength: 1, maxLength: 3 },
      ),
      aliasTags: fc.subarray(['Regen', 'night', 'aab', 'moon', '...', 'ガ'], { maxLength: 2 }),
    })
    .map(({ aliases, aliasTags }) => ({ aliases, ...(aliasTags.length > 0 && { aliasTags }) }));
}

/** One of the first `among` tracks with arbitrary values. */
export function entry(name: fc.Arbitrary<string>, among: number): fc.Arbitrary<IndexEntry> {
  return fc
    .tuple(fc.nat(among - 1), trackValues(name))
    .map(([i, values]) => ({ ...identity(i), ...values }));
}

/** A compact description of a catalog; see `tracksOf`. */
export interface Recipe {
  /** The kinds of tracks. The first is by far the most frequent. */
  kinds: Omit<IndexEntry, 'id' | 'rowId'>[];
  /** Two more filters, each on one track in this many, too few for a bitset. */
  strides: [number, number];
  count: number;
  seed: string;
}

/** Many tracks of few kinds. The counts are around the sizes at which an index changes its structures. */
export function recipe(name: fc.Arbitrary<string>): fc.Arbitrary<Recipe> {
  return fc.record({
    kinds: fc.array(trackValues(name), { minLength: 1, maxLength: 60 }),
    strides: fc.tuple(fc.integer({ min: 33, max: 70 }), fc.integer({ min: 33, max: 400 })),
    count: fc.constantFrom(31, 33, 64, 65, 300, 511, 512, 513, 1_024, 1_025, 1_600),
    seed: fc.nat().map(String),
  });
}

/** The tracks of a recipe, whose labels have lists of all densities. */
export function tracksOf({ kinds, strides, count, seed }: Recipe): IndexEntry[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, (_, i) => {
    const kind = kinds[Math.floor(random.next() ** 3 * kinds.length)]!;
    const rare = strides.flatMap((stride, n) => (i % stride === 0 ? [filterId(6 + n)] : []));
    return { ...identity(i), ...kind, filterIds: [...kind.filterIds, ...rare] };
  });
}

/** The filters of catalogs, and one that no track has. */
const FILTERS = [0, 1, 2, 3, 4, 5, 6, 7, 99].map(filterId);

const group = fc.subarray(FILTERS, { minLength: 1, maxLength: 5 });

/** Filter 0 is on nearly every track, and filter 99 on none. */
const filterNames: FilterNames = {
  names: [
    { id: filterId(0), texts: ['Night', 'Nacht'] },
    { id: filterId(1), texts: ['Moon-Light'] },
    { id: filterId(2), texts: ['Ночь', 'aab'] },
    { id: filterId(3), texts: ['!!!'] },
    { id: filterId(6), texts: ['rain and moon', 'ab'] },
    { id: filterId(99), texts: ['moon'] },
  ],
  toJSON: () => 'all',
};

/** A query in which each part is rare, so that it often matches something. */
export function query(name: fc.Arbitrary<string>): fc.Arbitrary<IndexQuery> {
  const sometimes = <T>(arbitrary: fc.Arbitrary<T>, weight = 1) =>
    fc.oneof({ weight: 9, arbitrary: fc.constant(undefined) }, { weight, arbitrary });
  return fc
    .record({
      text: sometimes(
        fc.oneof({ weight: 4, arbitrary: name }, fc.constantFrom(...artists, ...tags)),
        20,
      ),
      in: sometimes(
        fc.subarray([...TEXT_FIELDS]).chain((some) => fc.constantFrom(some, some.toReversed())),
        9,
      ),
      aliases: sometimes(fc.boolean(), 9),
      type: sometimes(fc.constantFrom('music', 'sfx')),
      hasVocals: sometimes(fc.boolean()),
      vocals: sometimes(fc.subarray([...VOCALS], { minLength: 1 }), 4),
      hasAudio: sometimes(fc.boolean()),
      ai: sometimes(fc.subarray([...AI_SHARES], { minLength: 1 }), 4),
      trainingAllowed: sometimes(fc.constantFrom(...TRAINING_ANSWERS), 4),
      artist: sometimes(fc.constantFrom(...artists, ' the moon', 'L Ain Co', 'x', '…')),
      filterIds: sometimes(fc.subarray(FILTERS, { maxLength: 3 }), 4),
      anyFilterIds: sometimes(
        // More than a search keeps, now and then.
        fc.oneof(
          { weight: 4, arbitrary: fc.array(group, { maxLength: 3 }) },
          fc.array(group, { minLength: 9, maxLength: 12 }),
        ),
        4,
      ),
      notFilterIds: sometimes(fc.subarray(FILTERS, { maxLength: 4 }), 4),
      isrc: sometimes(fc.constantFrom(...isrcs, 'GBAAA0000000')),
      songKeys: sometimes(
        fc.subarray(['C', 'A Minor', '11A', 'f♯ MINOR', 'é Major', 'x'], {
          minLength: 1,
          maxLength: 3,
        }),
      ),
      regions: sometimes(
        fc.subarray(['AT', 'DACH', 'DE', 'EU-WEST', 'WORLD'], { minLength: 1 }),
        3,
      ),
      territories: sometimes(fc.constantFrom(['DE'], ['AT'], ['AT', 'DE'], ['EE'], ['WORLD']), 5),
      bpmMin: sometimes(fc.constantFrom(0, 60, 90.5, 119.9995, 120, 120.0004, 1_000)),
      bpmMax: sometimes(fc.constantFrom(0, 60, 119.9986, 119.999, 120, 120.001, 1_000)),
      durationMin: sometimes(fc.constantFrom(0, 1, 31, 180, 9_000, 2_097_151, 3_000_000)),
      durationMax: sometimes(fc.constantFrom(0, 1, 180, 8_359, 9_000, 2_097_151)),
      releasedFrom: sometimes(fc.constantFrom(-62_135_596_800_000, -1, 0, 1, 1_700_000_000_001)),
      releasedTo: sometimes(fc.constantFrom(-86_400_000, 0, 1_700_000_000_000)),
      rowIdAbove: sometimes(fc.constantFrom(0, 1, 10, 500, 2 ** 32 - 500, 2 ** 32 - 2, 2 ** 32)),
      rowIdTo: sometimes(fc.constantFrom(1, 21, 700, 2 ** 32 - 300, 2 ** 32 - 1)),
    })
    .map((parts) => ({
      ...Object.fromEntries(Object.entries(parts).filter(([, part]) => part !== undefined)),
      ...(parts.in?.includes('filters') && { filterNames }),
    }));
}

/** The arguments of a call of `apply`: changed tracks, removed tracks, and tracks that are both. */
export interface Change {
  upserts: IndexEntry[];
  removed: string[];
}

/** Changes that are few in comparison to the catalog. */
export function change(name: fc.Arbitrary<string>, among: number): fc.Arbitrary<Change> {
  return fc.record({
    upserts: fc.array(entry(name, among), { maxLength: 8 }),
    removed: fc.array(
      fc.nat(among - 1).map((i) => identity(i).id),
      { maxLength: 5 },
    ),
  });
}

/** The arguments of a call of `setPopularity`. */
export interface Popularity {
  name: string;
  counts: ReadonlyMap<string, number>;
}

/** Counts for some of the first `among` tracks, under few names. */
export function popularity(among: number): fc.Arbitrary<Popularity> {
  return fc.record({
    name: fc.constantFrom('live', 'test'),
    counts: fc
      .array(fc.tuple(fc.nat(among - 1), fc.constantFrom(1, 2, 3, 70_000)), { maxLength: 8 })
      .map((pairs) => new Map(pairs.map(([i, count]) => [identity(i).id, count]))),
  });
}

/** One of the sorts. */
export const sort = fc.constantFrom(...INDEX_SORTS);
