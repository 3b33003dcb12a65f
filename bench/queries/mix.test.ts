import { beforeAll, describe, expect, it } from 'vitest';
import { HAS_SHARED_DATA, SHARED_DATA } from '../../test/harness/import-bench.ts';
import { readRealParts } from '../real-parts.ts';
import { QUERY_KINDS, type QueryKind } from './kinds.ts';
import {
  coldQueries,
  cubicDraws,
  hotPool,
  hotQueries,
  oneCoreQueries,
  QueryStream,
} from './mix.ts';
import { pathOf } from './query.ts';
import { Vocabulary } from './vocabulary.ts';

const KINDS = [...(Object.keys(QUERY_KINDS) as QueryKind[]), 'mix', 'hostile mix'] as const;

describe.skipIf(!HAS_SHARED_DATA)('the queries of the benchmark', () => {
  let vocabulary: Vocabulary;
  beforeAll(async () => {
    vocabulary = new Vocabulary(await readRealParts(SHARED_DATA), 20_000);
  });

  it.each(KINDS)(
    'of the kind "%s" are different from each other, and the same in every run',
    (kind) => {
      const paths = () =>
        coldQueries(new QueryStream(kind, vocabulary, 'a test'), 300).map((query) => pathOf(query));
      const drawn = paths();
      expect(new Set(drawn).size).toBe(300);
      expect(paths()).toEqual(drawn);
      expect(Math.max(...drawn.map((path) => path.length))).toBeLessThan(8_000);
    },
  );

  it('repeat by Zipf’s law in the hot mix', () => {
    const pool = hotPool(vocabulary, 'a test').slice(0, 100);
    const drawn = hotQueries(pool, 20_000, 'a test');
    const counts = pool.map((query) => drawn.filter((one) => one === query).length);
    const sum = pool.reduce((harmonic, _, i) => harmonic + 1 / (i + 1), 0);
    expect(counts[0]! / 20_000).toBeCloseTo(1 / sum, 1);
    expect(counts[0]! / counts[1]!).toBeGreaterThan(1.7);
    expect(counts[0]! / counts[1]!).toBeLessThan(2.3);
    expect(counts[9]! / counts[99]!).toBeGreaterThan(5);
  });

  it('are different in the part one-core, and prefer the first in its hot mix', () => {
    const queries = oneCoreQueries(vocabulary, 1_000, 'a test');
    expect(new Set(queries.map(pathOf)).size).toBe(1_000);
    const drawn = cubicDraws(queries, 20_000, 'a test');
    const share = (first: number) =>
      drawn.filter((query) => queries.indexOf(query) < first).length / drawn.length;
    expect(share(1)).toBeCloseTo(0.1, 1);
    expect(share(125)).toBeCloseTo(0.5, 1);
  });
});
