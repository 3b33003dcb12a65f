import { describe, expect, it } from 'vitest';
import { COUNTRIES } from '../../../common/codes.ts';
import { deal, dealList, ern43, recordsIn } from './ern.test-support.ts';

const WORLD = '<TerritoryCode>Worldwide</TerritoryCode>';
const codes = (...territories: readonly string[]) =>
  territories.map((code) => `<TerritoryCode>${code}</TerritoryCode>`).join('');
const except = (...territories: readonly string[]) =>
  territories.map((code) => `<ExcludedTerritoryCode>${code}</ExcludedTerritoryCode>`).join('');
const period = (from: string, until = '') => {
  const kind = (text: string) => (text.includes('T') ? 'DateTime' : 'Date');
  const end = until && `<End${kind(until)}>${until}</End${kind(until)}>`;
  return `<ValidityPeriod><Start${kind(from)}>${from}</Start${kind(from)}>${end}</ValidityPeriod>`;
};
const DOWN = '<TakeDown>true</TakeDown>';

async function read(deals: readonly string[]) {
  const [recording] = await recordsIn(ern43({ deals: dealList(...deals.map((one) => deal(one))) }));
  return recording!;
}

const T = (date: string) => `${date}T00:00:00.000Z`;

describe('deals become availability', () => {
  it.each<[string, string[], object[], string | undefined]>([
    ['no bounds', [WORLD], [], 'WORLD'],
    ['a beginning', [WORLD + period('2026-01-01')], [{ from: T('2026-01-01') }], 'WORLD'],
    [
      'dates that include their days',
      [codes('DE') + period('2026-01-01', '2030-12-31')],
      [{ territories: ['DE'], from: T('2026-01-01'), until: T('2031-01-01') }],
      'DE',
    ],
    [
      'times',
      [WORLD + period('2026-01-01T12:00:00+02:00', '2030-01-01T12:00:00')],
      [{ from: '2026-01-01T10:00:00.000Z', until: '2030-01-01T12:00:00.000Z' }],
      'WORLD',
    ],
    [
      'the last day of the calendar',
      [WORLD + period('2026-01-01', '9999-12-31')],
      [{ from: T('2026-01-01') }],
      'WORLD',
    ],
    ['several countries', [codes('DE', 'at')], [{ territories: ['AT', 'DE'] }], undefined],
    ['numbers of countries', [codes('276', '40')], [{ territories: ['AT', 'DE'] }], undefined],
    ['the number of the world', [codes('2136')], [], 'WORLD'],
    [
      'excluded countries',
      [except('US', 'CA')],
      [{ excludedTerritories: ['CA', 'US'] }],
      undefined,
    ],
    [
      'excluded countries of the whole world',
      [WORLD + except('US')],
      [{ excludedTerritories: ['US'] }],
      undefined,
    ],
    [
      'one deal for each country and use',
      [codes('DE'), codes('AT'), codes('DE')].map((one) => one + period('2026-01-01')),
      [{ territories: ['AT', 'DE'], from: T('2026-01-01') }],
      undefined,
    ],
    [
      'a deal that another one includes',
      [codes('DE') + period('2026-02-01', '2027-01-01'), WORLD + period('2026-01-01')],
      [{ from: T('2026-01-01') }],
      'WORLD',
    ],
    [
      'a country that opens first',
      [codes('DE') + period('2026-01-01'), WORLD + period('2026-06-01')],
      [{ territories: ['DE'], from: T('2026-01-01') }, { from: T('2026-06-01') }],
      'WORLD',
    ],
    [
      'deals that exclude different countries',
      [except('US', 'DE'), except('US', 'FR')],
      [{ excludedTerritories: ['US'] }],
      undefined,
    ],
    ['a deal for what another one excludes', [except('US'), codes('US')], [], 'WORLD'],
    [
      'several periods',
      [codes('DE') + period('2026-01-01', '2027-01-31') + period('2028-01-01')],
      [
        { territories: ['DE'], from: T('2026-01-01'), until: T('2027-02-01') },
        { territories: ['DE'], from: T('2028-01-01') },
      ],
      'DE',
    ],
    [
      'a deal that has ended beside others',
      [codes('FR') + period('2020-01-01', '2021-01-01'), codes('DE')],
      [{ territories: ['DE'] }],
      'DE',
    ],
    [
      'a country that is taken down',
      [WORLD, codes('DE') + DOWN],
      [{ excludedTerritories: ['DE'] }],
      undefined,
    ],
    [
      'a listed country that is taken down',
      [codes('DE', 'AT'), codes('DE') + DOWN],
      [{ territories: ['AT'] }],
      'AT',
    ],
    [
      'all but one country that are taken down',
      [WORLD, except('DE') + DOWN],
      [{ territories: ['DE'] }],
      'DE',
    ],
    [
      'a day of release after the beginning of the deal',
      [`${WORLD}${period('2026-01-01')}<PreOrderReleaseDate>2026-02-01</PreOrderReleaseDate>`],
      [{ from: T('2026-02-01') }],
      'WORLD',
    ],
    [
      'a day of release before the beginning of the deal, or without one',
      [
        `${codes('DE')}${period('2026-03-01')}<PreOrderReleaseDate>2026-02-01</PreOrderReleaseDate>`,
        `${codes('AT')}<PreOrderReleaseDate>2026-02-01</PreOrderReleaseDate>`,
      ],
      [
        { territories: ['DE'], from: T('2026-03-01') },
        { territories: ['AT'], from: T('2026-02-01') },
      ],
      undefined,
    ],
    ['an unknown country beside others', [codes('XK', 'DE')], [{ territories: ['DE'] }], 'DE'],
  ])('with %s', async (_, deals, availability, region) => {
    const { record, problems } = await read(deals);
    expect(problems).toEqual([]);
    expect(record).toMatchObject({ availability, region });
  });

  it.each([
    ['a takedown of all countries', [WORLD, codes(...COUNTRIES) + DOWN]],
    ['only deals that have ended', [WORLD + period('2020-01-01', '2026-11-20')]],
    ['only deals for what is no country', [codes('XK')]],
    ['only deals for orders in advance', [`<IsPreOrderDeal>true</IsPreOrderDeal>${WORLD}`]],
    [
      'only deals for some recordings in advance',
      [
        `${WORLD}<InstantGratificationResourceList><DealResourceReference>A1</DealResourceReference></InstantGratificationResourceList>`,
      ],
    ],
  ])('and %s withdraws', async (_, deals) => {
    expect(await read(deals)).toMatchObject({ record: undefined, problems: [] });
  });

  it('of rights claims alone grant nothing, and beside other models they do', async () => {
    const claim = deal(WORLD, ['RightsClaimModel']);
    const messageOf = (...deals: string[]) => recordsIn(ern43({ deals: dealList(...deals) }));
    expect((await messageOf(claim))[0]).toMatchObject({ record: undefined, problems: [] });
    const germany = (await messageOf(claim, deal(codes('DE'))))[0]!;
    expect(germany.record).toMatchObject({ availability: [{ territories: ['DE'] }] });
    const both = (await messageOf(deal(WORLD, ['RightsClaimModel', 'SubscriptionModel'])))[0]!;
    expect(both.record).toMatchObject({ availability: [] });
  });

  const days = Array.from({ length: 101 }, (_, i) =>
    T(`20${10 + Math.floor(i / 12)}-${String((i % 12) + 1).padStart(2, '0')}-01`),
  );

  it.each([
    ['no territory', [period('2026-01-01')], 'names no territory'],
    ['an excluded group', [except('US-CA')], 'excludes the territory "US-CA"'],
    ['the excluded world', [except('Worldwide')], 'excludes the territory "Worldwide"'],
    ['a wrong date', [WORLD + period('2026-02-30')], 'the StartDate of the deal in line'],
    [
      'a wrong time',
      [WORLD + period('2026-01-01', '2026-01-01T25:00:00')],
      'the EndDateTime of the deal in line',
    ],
    ['a wrong word', [WORLD + period('soon')], 'it is "soon"'],
    [
      'a wrong day of release',
      [`${WORLD}<PreOrderReleaseDate>soon</PreOrderReleaseDate>`],
      'the PreOrderReleaseDate of the deal in line',
    ],
    ['101 periods', days.map((day) => WORLD + period(day)), 'more than 100 different periods'],
    [
      '101 periods in one deal',
      [WORLD + days.map((day) => period(day)).join('')],
      'has more than 100 periods',
    ],
  ])('and %s are refused', async (_, deals, message) => {
    const { problems } = await read(deals);
    expect(problems).toEqual([
      { field: 'availability', message: expect.stringContaining(message) },
    ]);
  });
});
