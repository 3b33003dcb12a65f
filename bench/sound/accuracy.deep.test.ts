import { expect, it } from 'vitest';
import { HAS_SHARED_DATA, SHARED_DATA } from '../../test/harness/import-bench.ts';
import {
  DEMO,
  type Judged,
  judge,
  type KnownMusic,
  neighborsOf,
  recordings,
  scoreOf,
} from './known.ts';

async function judgeAll(all: readonly KnownMusic[]): Promise<Judged[]> {
  const judged: Judged[] = [];
  for (const music of all) judged.push(await judge(music));
  return judged;
}

/** Of the filled values, so many are right; of the known ones, so many are filled. */
function expectGoals(judged: readonly Judged[]): void {
  for (const [what, share] of [
    ['tempo', 0.9],
    ['key', 0.8],
  ] as const) {
    const { known, filled, right } = scoreOf(judged, what);
    expect(right / filled, what).toBeGreaterThanOrEqual(share);
    expect(filled / known, what).toBeGreaterThanOrEqual(0.6);
  }
}

it('fills tempos and keys of the demo catalog, and finds pieces of the same style', async () => {
  const judged = await judgeAll(DEMO);
  expectGoals(judged);
  const { pieces, ofStyle } = neighborsOf(judged);
  expect(ofStyle / pieces).toBeGreaterThanOrEqual(0.8);
});

it.skipIf(!HAS_SHARED_DATA)('fills those of the demo catalog and of recordings', async () => {
  expectGoals(await judgeAll([...DEMO, ...recordings(SHARED_DATA)]));
});
