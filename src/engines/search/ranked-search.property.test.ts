import fc from 'fast-check';
import { describe, it } from 'vitest';
import {
  change,
  filterId,
  plainName,
  query,
  recipe,
  tracksOf,
} from './arbitrary-catalog.test-support.ts';
import type { Concept } from './catalog-index.ts';
import { builtOver } from './engine.test-support.ts';
import { NaiveIndex } from './naive-index.test-support.ts';
import { expectEqual, RUNS } from './segmented-index.test-support.ts';

const texts = fc.subarray(
  ['night', 'MOON', 'a', 'rain', "d'a", 'night rain', 'Moon light', '夜の歌', 'l’ain', '...', 'zz'],
  { maxLength: 2 },
);

const concept: fc.Arbitrary<Concept> = fc.record(
  {
    weight: fc.constantFrom(1, 1, 0.62, 0.31, 0.01),
    filterIds: fc.subarray([0, 1, 2, 3, 4, 5, 6, 7, 99].map(filterId), { maxLength: 3 }),
    tags: fc.subarray(['rain', 'Moon-Light', 'a', "b'a", 'NIGHTS', 'none'], { maxLength: 2 }),
    artists: fc.subarray(['the moon', 'ABBA', "L'Ain & Co", 'Unknown'], { maxLength: 2 }),
    words: texts,
    meets: fc.constantFrom(
      { bpmMin: 60, bpmMax: 119.999 },
      { songKeys: ['c major'] },
      { songKeys: ['x'] },
    ),
  },
  { requiredKeys: ['weight'] },
);

const ranking = fc.record({
  concepts: fc.array(concept, { maxLength: 12 }),
  required: fc.subarray([{ durationMin: 30 }, { type: 'music' as const }], { maxLength: 1 }),
  excluded: fc.array(concept, { maxLength: 1 }),
  instrumentalFirst: fc.boolean(),
});

const restrictions = query(plainName).map(({ text, in: fields, ...others }) => others);

describe('for any concepts,', { timeout: 120_000 + RUNS * 500 }, () => {
  it('ranked pages, totals and facets are those of the definition, in one segment and in several', async () => {
    await fc.assert(
      fc.asyncProperty(
        recipe(plainName),
        change(plainName, 70),
        restrictions,
        ranking,
        fc.record({ offset: fc.nat(60), limit: fc.nat(50) }),
        async (catalog, changes, restricted, ranking, page) => {
          const tracks = tracksOf(catalog);
          const index = builtOver(tracks, { kernelFrom: 0, rebuildUpTo: 0 });
          const naive = new NaiveIndex(tracks);
          const check = () => {
            const whole = { offset: 0, limit: 2_000, facets: true };
            const all = naive.rank(restricted, ranking, whole);
            expectEqual(index.rank(restricted, ranking, whole), all);
            const [from, to] = [page.offset, page.offset + page.limit];
            expectEqual(index.rank(restricted, ranking, page), {
              total: all.total,
              rowIds: all.rowIds.slice(from, to),
              ids: all.ids.slice(from, to),
              carried: all.carried.slice(from, to),
            });
          };
          check();
          await index.apply(changes.upserts, changes.removed, 1);
          await naive.apply(changes.upserts, changes.removed);
          check();
        },
      ),
      { numRuns: RUNS },
    );
  });
});
