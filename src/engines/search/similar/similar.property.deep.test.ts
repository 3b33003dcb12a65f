import fc from 'fast-check';
import { describe, it } from 'vitest';
import { StaveError } from '../../../common/errors.ts';
import {
  change,
  entry,
  filterId,
  identity,
  oddName,
  plainName,
  recipe,
  tracksOf,
} from '../arbitrary-catalog.test-support.ts';
import type { ComparedFilters, IndexEntry, SimilarQuery, SimilarTrack } from '../catalog-index.ts';
import { builtOver } from '../engine.test-support.ts';
import { NaiveIndex } from '../naive-index.test-support.ts';
import {
  catalog,
  changedSegmentOf,
  expectEqual,
  FEW,
  RUNS,
} from '../segmented-index.test-support.ts';
import type { SegmentedIndex } from '../segmented-index.ts';

const TIMEOUT = 120_000 + RUNS * 500;

let seq = 0;

/** Filters 0 to 7, of which some are genres and some are moods. */
const compared: fc.Arbitrary<ComparedFilters> = fc
  .array(fc.constantFrom('genre', 'mood', 'use-case'), { minLength: 8, maxLength: 8 })
  .map((types) => {
    const of = (wanted: string) =>
      new Set(types.flatMap((type, n) => (type === wanted ? [filterId(n)] : [])));
    return { genres: of('genre'), moods: of('mood') };
  });

/** A query without its seed. */
type Restriction = Omit<SimilarQuery, 'id'>;

const restriction: fc.Arbitrary<Restriction> = fc
  .record({
    limit: fc.constantFrom(1, 3, 20, 100),
    bpmRange: fc.constantFrom(1, 20, 100),
    type: fc.constantFrom(undefined, undefined, 'music', 'sfx'),
    hasVocals: fc.constantFrom(undefined, undefined, true, false),
    filterIds: fc.constantFrom(undefined, undefined, [], [0], [1, 2], [7], [99]),
    by: fc.constantFrom(undefined, 'metadata', 'sound', 'both'),
  })
  .map(({ filterIds, ...others }) => ({ ...others, filterIds: filterIds?.map(filterId) }))
  .map(
    (parts) =>
      Object.fromEntries(
        Object.entries(parts).filter(([, part]) => part !== undefined),
      ) as unknown as Restriction,
  );

/** Tempos near each other, their halves and doubles, more than the catalogs of other tests have. */
const bpm = fc.constantFrom(
  0,
  35,
  60,
  69.999,
  70,
  70.001,
  79.5,
  120,
  139.99,
  140,
  140.002,
  200,
  999.999,
);

/** Values in which a track resembles another release of the same recording. */
const release = fc.record({
  bpm,
  durationSeconds: fc.constantFrom(0, 178, 180, 181, 183),
  isrc: fc.constantFrom('', '', '', 'USUAN1100001', 'USUAN1100003'),
  artists: fc.subarray(['The Moon', 'the moon!', '!!!', '???', 'ガール', 'がーる'], {
    maxLength: 2,
  }),
  name: fc.constantFrom(
    'Night',
    'night!',
    'Nïght',
    '...',
    '!',
    'ガール',
    'がーる',
    'Other',
    'one more',
  ),
});

/** Sounds of few kinds, so that many are equal, and their extremes. */
const sound = fc
  .tuple(fc.constantFrom(-128, -60, -1, 1, 40, 127), fc.integer({ min: 1, max: 6 }), fc.nat(63))
  .map(([value, step, odd]) =>
    Uint8Array.from({ length: 64 }, (_, i) => (i === odd ? 1 : i % step === 0 ? value : i - 32)),
  );
const sounding = fc.option(
  sound.map((one) => ({ sound: one })),
  { freq: 5, nil: {} },
);

/** Tracks of the other tests, with tempos, sounds and releases that this test needs. */
function released(tracks: fc.Arbitrary<IndexEntry>): fc.Arbitrary<IndexEntry> {
  return fc
    .tuple(tracks, fc.option(release, { freq: 3, nil: {} }), bpm, sounding)
    .map(([track, values, tempo, sounds]) => ({ ...track, bpm: tempo, ...values, ...sounds }));
}

const releasedChange = fc
  .tuple(change(oddName, FEW), fc.array(released(entry(oddName, FEW)), { maxLength: 6 }))
  .map(([{ removed }, upserts]) => ({ removed, upserts }));

const scoreEachUpTo = fc.constantFrom(0, 3, 20, 8_192);

const sounds = fc.sample(sound, { numRuns: 7, seed: 1 });

function inOneOrder(found: SimilarTrack[] | undefined) {
  return found?.map(({ sharedFilterIds, ...track }) => ({
    ...track,
    sharedFilterIds: [...sharedFilterIds].sort(),
  }));
}

function isUnknownSound(error: unknown): 'unknown' {
  if (error instanceof StaveError && error.kind === 'conflict') return 'unknown';
  throw error;
}

async function expectSimilarAlike(
  index: SegmentedIndex,
  naive: NaiveIndex,
  restrictions: readonly Restriction[],
  filters: ComparedFilters,
  seeds: readonly string[] = Array.from({ length: FEW }, (_, i) => identity(i).id),
): Promise<void> {
  for (const [i, id] of seeds.entries()) {
    const restriction = restrictions[i % restrictions.length]!;
    const query = { ...restriction, id };
    const found = await index.similar(query, filters).catch(isUnknownSound);
    expectEqual(
      found === 'unknown' ? found : inOneOrder(found),
      await naive.similar(query, filters).catch(() => 'unknown'),
    );
    const { by: _, ...others } = restriction;
    const example = { sound: sounds[i % sounds.length]!, bpm: 70, songKeys: ['A Minor'] };
    expectEqual(
      inOneOrder(index.soundingLike({ ...others, example }, filters)),
      naive.soundingLike({ ...others, example }, filters),
    );
  }
}

describe('Similar tracks of SegmentedIndex and NaiveIndex', { timeout: TIMEOUT }, () => {
  it('are the same after any changes, and while some tracks are hidden', async () => {
    await fc.assert(
      fc.asyncProperty(
        catalog(30).chain((entries) =>
          fc.tuple(...entries.map((one) => released(fc.constant(one)))),
        ),
        fc.array(restriction, { minLength: 1, maxLength: 4 }),
        fc.array(
          fc.record({ change: releasedChange, hide: fc.boolean(), together: fc.boolean() }),
          {
            maxLength: 4,
          },
        ),
        fc.tuple(compared, compared),
        scoreEachUpTo,
        fc.constantFrom(0, 4_096),
        async (entries, restrictions, changes, filters, scoreEachUpTo, rebuildUpTo) => {
          const changed = new Map<string, IndexEntry | undefined>();
          const index = builtOver(entries, {
            ...{ mergeAtLeast: 20, rebuildUpTo, scoreEachUpTo },
            changes: async () => changedSegmentOf(changed, seq),
          });
          const naive = new NaiveIndex(entries);
          await expectSimilarAlike(index, naive, restrictions, filters[0]);
          for (const { change, hide, together } of changes) {
            const { upserts, removed } = change;
            seq++;
            changed.clear();
            for (const id of removed) changed.set(id, undefined);
            for (const one of upserts) changed.set(one.id, one);
            if (hide) {
              index.hide(removed, seq);
              naive.hide(removed);
              await expectSimilarAlike(index, naive, restrictions, filters[1]);
            }
            await naive.apply(upserts, removed);
            if (together) await index.catchUp(async () => {});
            else await index.apply(upserts, removed, seq);
            await expectSimilarAlike(index, naive, restrictions, filters[0]);
          }
          await index.settled();
          await expectSimilarAlike(index, naive, restrictions, filters[1]);
        },
      ),
      { numRuns: RUNS },
    );
  });

  it('are the same for many tracks in few sets, with many ties', async () => {
    await fc.assert(
      fc.asyncProperty(
        recipe(plainName),
        fc.array(bpm, { minLength: 1, maxLength: 12 }),
        fc.array(restriction, { minLength: 1, maxLength: 4 }),
        compared,
        fc.array(released(entry(oddName, FEW)), { maxLength: 20 }),
        scoreEachUpTo,
        async (manyTracks, tempos, restrictions, filters, upserts, scoreEachUpTo) => {
          const entries = tracksOf(manyTracks).map((one, i) => ({
            ...one,
            bpm: tempos[i % tempos.length]!,
            ...(i % 9 !== 0 && { sound: sounds[i % sounds.length]! }),
          }));
          const index = builtOver(entries, { scoreEachUpTo });
          const naive = new NaiveIndex(entries);
          const seeds = entries.filter((_, i) => i % 97 === 0).map(({ id }) => id);
          await expectSimilarAlike(index, naive, restrictions, filters, seeds);
          const removed = seeds.slice(1, 3);
          await index.apply(upserts, removed, ++seq);
          await naive.apply(upserts, removed);
          await expectSimilarAlike(index, naive, restrictions, filters, seeds);
        },
      ),
      { numRuns: RUNS },
    );
  });
});
