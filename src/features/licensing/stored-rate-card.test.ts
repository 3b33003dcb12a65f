import { describe, expect, it } from 'vitest';
import { cardText } from '../../../test/harness/rate-cards.ts';
import { OperatorError } from '../../common/errors.ts';
import { silentLog } from '../../common/log.ts';
import { LiveRateCards } from './live-rate-cards.ts';
import type { RateCardRecord } from './rate-card.ts';
import { groupsOfStoredCard, parseRateCard, readStoredCard } from './rate-card-file.ts';

const PLAIN = {
  mediaCap: undefined,
  audience: undefined,
  exclusive: undefined,
  surcharges: undefined,
  volume: undefined,
};

describe('readStoredCard', () => {
  it.each([{}, PLAIN])('reads a card as it was published: %j', (members) => {
    expect(readStoredCard(cardText(members))).toEqual(parseRateCard(cardText(members)));
  });

  it.each([
    { name: 'A name of earlier days' },
    { quoteDays: 1_000 },
    { media: { TV: '1' } },
    { territories: [{ code: 'DE', factor: '1' }] },
    { territories: [{ code: 'X', countries: ['YU'], factor: '1' }] },
    { terms: { P900Y: '1' } },
    { base: { music: 2 ** 53 - 1 } },
  ])('reads a card that the rules of today refuse: %j', (members) => {
    expect(() => parseRateCard(cardText(members))).toThrow(OperatorError);
    expect(readStoredCard(cardText(members)).currency).toBe('EUR');
  });

  it.each([
    ['member discounts', cardText({ discounts: [] })],
    ['member speech', cardText({ base: { music: 1, speech: 1 } })],
    ['member until', cardText({ volume: [{ from: 1, until: 9, factor: '1' }] })],
    ['1.00001 is no factor', cardText({ mediaCap: '1.00001' })],
    ['1.5 is no whole number', cardText({ minimumMinor: 1.5 })],
    ['the currency XXX is unknown', cardText({ currency: 'XXX' })],
    ['cannot be read', '{"name":'],
    ['cannot be read', 'null'],
  ])('refuses a card that may cost something else: %s', (problem, document) => {
    expect(() => readStoredCard(document)).toThrow(OperatorError);
    expect(() => readStoredCard(document)).toThrow(problem);
  });
});

it('reads the groups of a card of a newer version', () => {
  const groups = groupsOfStoredCard(
    cardText({ discounts: [], territories: undefined }).replace(
      '{',
      '{"territories":[{"code":"X","countries":["DE"],"factor":"1","since":2},{"code":"Y","factor":"2"}],',
    ),
  );
  expect(groups).toEqual([
    { code: 'X', countries: new Set(['DE']), factor: 10_000n },
    { code: 'Y', countries: null, factor: 20_000n },
  ]);
});

it('keeps the former groups of a card that cannot be read, and logs it each time', async () => {
  const lines: object[] = [];
  let document = cardText();
  const list = async () => [
    { name: 'standard', version: 3, document, isInForce: true } as RateCardRecord,
  ];
  const error = (fields: object) => lines.push(fields);
  const live = new LiveRateCards({ rateCards: { list }, log: { ...silentLog, error } });
  await live.load();
  const before = live.groupsOf(null);
  expect(before.map(({ code }) => code)).toEqual(['WORLD', 'DACH', 'DE']);
  document = cardText({ territories: 'all' });
  await live.load();
  await live.load();
  expect(live.groupsOf(null)).toEqual(before);
  const line = { card: 'standard@3', err: expect.any(OperatorError) };
  expect(lines).toMatchObject([line, line]);
});
