import { type SeededRandom, seededRandom } from '../../src/common/seeded-random.ts';
import { HOSTILE_KINDS, MIX_KINDS, ONE_CORE_KINDS, QUERY_KINDS, type QueryKind } from './kinds.ts';
import { type BenchQuery, pathOf } from './query.ts';
import type { Vocabulary } from './vocabulary.ts';

/** The number of different queries in the hot mix. */
const HOT_POOL = 2_000;

/** The share of hostile queries in the hostile mix. */
const HOSTILE_SHARE = 0.01;

/** Draws queries of a kind or of a mix. Equal seeds draw equal queries. */
export class QueryStream {
  readonly #random: SeededRandom;
  readonly #vocabulary: Vocabulary;
  readonly #kind: QueryKind | 'mix' | 'hostile mix';
  readonly #drawn = new Set<string>();

  constructor(kind: QueryKind | 'mix' | 'hostile mix', vocabulary: Vocabulary, seed: string) {
    this.#kind = kind;
    this.#vocabulary = vocabulary;
    this.#random = seededRandom(`${seed}: ${kind}`);
  }

  /** Returns a query, which may be a repetition. */
  next(): BenchQuery {
    return this.#draw(this.#nextKind());
  }

  /** Returns a query that this stream has not returned before; undefined if it finds none. */
  nextNew(): BenchQuery | undefined {
    // Tries each kind many times, so that the mix keeps its shares while a kind has new queries left.
    for (let attempt = 0; attempt < 10; attempt++) {
      const kind = this.#nextKind();
      for (let again = 0; again < 100; again++) {
        const query = this.#draw(kind);
        const path = pathOf(query);
        if (!this.#drawn.has(path)) {
          this.#drawn.add(path);
          return query;
        }
      }
    }
    return undefined;
  }

  #draw(kind: QueryKind): BenchQuery {
    return QUERY_KINDS[kind](this.#random, this.#vocabulary);
  }

  #nextKind(): QueryKind {
    if (this.#kind !== 'mix' && this.#kind !== 'hostile mix') return this.#kind;
    const isHostile = this.#kind === 'hostile mix' && this.#random.next() < HOSTILE_SHARE;
    const kinds = Object.keys(isHostile ? HOSTILE_KINDS : MIX_KINDS) as QueryKind[];
    return this.#random.pick(kinds);
  }
}

/** Returns up to `count` different queries. */
export function coldQueries(stream: QueryStream, count: number): BenchQuery[] {
  const queries: BenchQuery[] = [];
  while (queries.length < count) {
    const query = stream.nextNew();
    if (query === undefined) break;
    queries.push(query);
  }
  return queries;
}

/**
 * Different queries of the mix, its kinds in turn. The order of the kinds is fixed, so that chance does not
 * make an expensive kind the most frequent one.
 */
export function hotPool(vocabulary: Vocabulary, seed: string): BenchQuery[] {
  const streams = (Object.keys(MIX_KINDS) as QueryKind[]).map(
    (kind) => new QueryStream(kind, vocabulary, seed),
  );
  return Array.from({ length: HOT_POOL }, (_, i) => streams[i % streams.length]!.nextNew()!);
}

/**
 * Returns up to `count` different queries of the part `one-core`, its kinds in turn, so that each part of the list has
 * as many of each.
 */
export function oneCoreQueries(vocabulary: Vocabulary, count: number, seed: string): BenchQuery[] {
  const streams = ONE_CORE_KINDS.map((kind) => new QueryStream(kind, vocabulary, seed));
  const queries = Array.from({ length: count }, (_, i) => streams[i % streams.length]!.nextNew());
  return queries.filter((query) => query !== undefined);
}

/** `count` draws from a list. The share of the draws that fall below the rank `r` of `n` is the cube root of `r / n`. */
export function cubicDraws<Item>(list: readonly Item[], count: number, seed: string): Item[] {
  const random = seededRandom(seed);
  return Array.from({ length: count }, () => list[Math.floor(list.length * random.next() ** 3)]!);
}

/**
 * `count` draws from a pool of queries. The first query is drawn twice as often as the second, three times as
 * often as the third, and so on (Zipf's law, exponent 1).
 */
export function hotQueries(pool: readonly BenchQuery[], count: number, seed: string): BenchQuery[] {
  const random = seededRandom(seed);
  const ends: number[] = [];
  let sum = 0;
  for (let rank = 1; rank <= pool.length; rank++) {
    sum += 1 / rank;
    ends.push(sum);
  }
  return Array.from({ length: count }, () => {
    const drawn = random.next() * sum;
    return pool[firstAbove(ends, drawn)]!;
  });
}

function firstAbove(ends: readonly number[], value: number): number {
  let low = 0;
  let high = ends.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (ends[middle]! > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
