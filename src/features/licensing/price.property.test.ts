import fc from 'fast-check';
import { expect, it } from 'vitest';
import { cardWith } from '../../../test/harness/rate-cards.ts';
import { priceOf, type Use } from './price.ts';

/** A fraction of integers. */
type Rational = readonly [numerator: bigint, denominator: bigint];

/** Reads a decimal text as a fraction, without the code under test. */
function rational(text: string): Rational {
  const [whole, decimals = ''] = text.split('.');
  return [BigInt(whole! + decimals), 10n ** BigInt(decimals.length)];
}

const times = ([a, b]: Rational, [c, d]: Rational): Rational => [a * c, b * d];
const plus = ([a, b]: Rational, [c, d]: Rational): Rational => [a * d + c * b, b * d];
const isLess = ([a, b]: Rational, [c, d]: Rational) => a * d < c * b;

/** The integer nearest to a fraction that is not negative; of two, the greater. */
function halfUp([a, b]: Rational): bigint {
  const floor = a / b;
  return 2n * (a - floor * b) >= b ? floor + 1n : floor;
}

const factor = fc
  .tuple(fc.nat(8), fc.integer({ min: 0, max: 9_999 }), fc.nat(4))
  .map(([whole, decimals, length]) =>
    length === 0 ? `${whole}` : `${whole}.${String(decimals).padStart(4, '0').slice(0, length)}`,
  );

const MEDIA = ['online', 'social', 'broadcast', 'cinema'];
const case_ = fc.record({
  base: fc.integer({ min: 0, max: 10_000 }),
  minimumMinor: fc.integer({ min: 0, max: 5_000 }),
  media: fc.array(factor, { minLength: 4, maxLength: 4 }),
  asked: fc.subarray(MEDIA, { minLength: 1 }),
  mediaCap: fc.option(factor, { nil: undefined }),
  groups: fc.array(factor, { minLength: 1, maxLength: 4 }),
  term: factor,
  audience: fc.option(fc.tuple(factor, factor), { nil: undefined }),
  reach: fc.integer({ min: 0, max: 200 }),
  exclusive: fc.option(factor, { nil: undefined }),
  surcharges: fc.array(factor, { maxLength: 3 }),
  volume: fc.option(factor, { nil: undefined }),
  count: fc.integer({ min: 1, max: 100 }),
});

type Case = typeof case_ extends fc.Arbitrary<infer T> ? T : never;

function cardOf({ base, minimumMinor, media, mediaCap, groups, term, ...one }: Case) {
  return cardWith({
    minimumMinor,
    base: { music: base },
    media: Object.fromEntries(MEDIA.map((code, i) => [code, media[i]])),
    mediaCap,
    territories: groups.map((value, i) => ({ code: `G${i}`, factor: value })),
    terms: { P1Y: term },
    audience: one.audience && [
      { upTo: 100, factor: one.audience[0] },
      { upTo: null, factor: one.audience[1] },
    ],
    exclusive: one.exclusive,
    surcharges: surchargesOf(one).map((value, i) => ({ filterSlug: `s${i}`, factor: value })),
    volume: one.volume && [{ from: 10, factor: one.volume }],
  });
}

/** A card has no empty list. */
function surchargesOf({ surcharges }: Pick<Case, 'surcharges'>) {
  return surcharges.length > 0 ? surcharges : ['1'];
}

function useOf({ asked, reach, exclusive }: Case): Use {
  return {
    media: asked,
    territories: ['DE'],
    term: 'P1Y',
    audience: reach,
    exclusive: exclusive !== undefined,
  };
}

function priced(one: Case) {
  const filterSlugs = new Set(surchargesOf(one).map((_, i) => `s${i}`));
  return priceOf(cardOf(one), useOf(one), { type: 'music', filterSlugs }, one.count)!;
}

/** The factors of an item, by the rules and not by the code. */
function factorsOf(one: Case): Rational[] {
  const sum = one.asked
    .map((code) => rational(one.media[MEDIA.indexOf(code)]!))
    .reduce(plus, [0n, 1n]);
  const cap = one.mediaCap === undefined ? sum : rational(one.mediaCap);
  const groups = one.groups.map(rational);
  return [
    isLess(cap, sum) ? cap : sum,
    groups.reduce((best, group) => (isLess(group, best) ? group : best)),
    rational(one.term),
    ...(one.audience ? [rational(one.audience[one.reach <= 100 ? 0 : 1])] : []),
    ...(one.exclusive === undefined ? [] : [rational(one.exclusive)]),
    ...surchargesOf(one).map(rational),
    ...(one.volume !== undefined && one.count >= 10 ? [rational(one.volume)] : []),
  ];
}

it('is the product of all factors as rational numbers, in any order, rounded half up once', () => {
  fc.assert(
    fc.property(case_, fc.func(fc.integer()), (one, rank) => {
      const factors = factorsOf(one).sort((a, b) => rank(a) - rank(b));
      const exact = factors.reduce(times, [BigInt(one.base), 1n]);
      const expected = halfUp(exact);
      const minimum = BigInt(one.minimumMinor);
      const { amountMinor } = priced(one);
      expect(BigInt(amountMinor)).toBe(expected > minimum ? expected : minimum);
    }),
    { numRuns: 2_000 },
  );
});

it('has a breakdown whose product, rounded half up, is the amount before the minimum', () => {
  fc.assert(
    fc.property(case_, (one) => {
      const { amountMinor, breakdown } = priced(one);
      const minimum = breakdown.find(({ step }) => step === 'minimum');
      const product = breakdown
        .filter((step) => step !== minimum)
        .map(({ value }) => rational(value))
        .reduce(times, [1n, 1n]);
      const before = halfUp(product);
      expect(minimum !== undefined).toBe(before < BigInt(one.minimumMinor));
      expect(BigInt(amountMinor)).toBe(minimum === undefined ? before : BigInt(minimum.value));
    }),
    { numRuns: 500 },
  );
});

it('does not depend on the other items, only on their number', () => {
  fc.assert(
    fc.property(case_, fc.integer({ min: 1, max: 9 }), (one, count) => {
      // Below the step of the volume, a quote of many costs as much as one quote of each.
      const single = priced({ ...one, count: 1 }).amountMinor;
      expect(priced({ ...one, count }).amountMinor).toBe(single);
    }),
    { numRuns: 200 },
  );
});
