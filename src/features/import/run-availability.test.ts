import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  type ImportBench,
  ndjson,
  openImportBench,
  record,
} from '../../../test/harness/import-bench.ts';
import { COUNTRIES } from '../../common/codes.ts';
import { trackMaker } from './canonical/track.ts';

let bench: ImportBench;
beforeEach(async () => {
  bench = await openImportBench();
});
afterEach(() => bench.close());

const make = trackMaker({ source: 's' });
const availabilityOf = (availability: unknown) =>
  make({ ...record('1'), availability }).delivery?.availability;

const MIDNIGHT = Date.UTC(2026, 0, 1);

describe('the availability of a record', () => {
  it.each([
    [[{}], [{}]],
    [[{ from: null, until: null, territories: null, excludedTerritories: [] }], [{}]],
    [[{ from: '2026-01-01' }], [{ from: MIDNIGHT }]],
    [[{ until: ' 2026-01-01T02:00:00+02:00 ' }], [{ until: MIDNIGHT }]],
    [[{ from: '2026-01-01T00:00:00.250Z' }], [{ from: MIDNIGHT + 250 }]],
    [[{ territories: ['de', ' AT ', 'DE'] }], [{ territories: ['AT', 'DE'] }]],
    [[{ excludedTerritories: ['US'] }], [{ excludedTerritories: ['US'] }]],
    [
      [{ from: '2026-01-01' }, {}, { from: '2026-01-01' }],
      [{}, { from: MIDNIGHT }],
    ],
    [
      [{ territories: ['FR'] }, { territories: ['DE'] }],
      [{ territories: ['DE'] }, { territories: ['FR'] }],
    ],
    [[], []],
    [null, undefined],
    [undefined, undefined],
  ])('%j is read as %j', (given, expected) => {
    expect(availabilityOf(given)).toEqual(expected);
  });

  it.each([
    [{}, 'availability must be a list of'],
    [['2026'], 'availability must be a list of'],
    [[{ from: 2026 }], 'entry 1 is {"from":2026}'],
    [[{ territories: 'DE' }], 'entry 1 is {"territories":"DE"}'],
    [Array(101).fill({}), 'availability must list 100 at most; it lists 101'],
    [[{}, { from: '2026' }], 'availability[1].from must be a date such as 2026-01-31 or a time'],
    [[{ until: '2026-02-30' }], 'availability[0].until must be a date'],
    [[{ until: '2026-01-01T00:00:00' }], 'availability[0].until must be a date'],
    [[{ from: '' }], 'availability[0].from must be a date'],
    [
      [{ from: '2026-01-02', until: '2026-01-02' }],
      'availability[0].until must be later than from',
    ],
    [
      [{ territories: ['DE', 'UK'] }],
      'availability[0].territories must list country codes of ISO 3166-1',
    ],
    [[{ territories: ['DE', 'UK'] }], 'entry 2 is "UK"'],
    [[{ territories: ['WORLD'] }], 'entry 1 is "WORLD"'],
    [
      [{ territory: ['DE'] }],
      'must have only the members territories, excludedTerritories, from, until; it has "territory"',
    ],
    [[{ territories: [] }], 'availability[0].territories must not be empty'],
    [[{ territories: Array(301).fill('DE') }], 'must list 300 at most; it lists 301'],
    [
      [{ territories: ['DE'], excludedTerritories: ['AT', 'DE'] }],
      'availability[0].excludedTerritories must leave a territory',
    ],
    [[{ excludedTerritories: COUNTRIES }], 'must leave a territory'],
  ])('%j is rejected', (availability, message) => {
    const { problems } = make({ ...record('1'), availability });
    expect(problems?.map((problem) => `${problem.field} ${problem.message}`)).toEqual([
      expect.stringContaining(message),
    ]);
  });
});

describe('an import of availability', () => {
  it('reads it from CSV as JSON, keeps it in a repeated old file, and removes it by []', async () => {
    const run = async (name: string, content: string) =>
      (await bench.run([await bench.write(name, content)])).summary;
    const cell = '"[{""territories"":[""DE""],""until"":""2100-01-01""}]"';
    const csv = `externalId,name,type,availability\n1,Track 1,music,${cell}\n`;
    expect(await run('a.csv', csv)).toMatchObject({ created: 1 });
    expect(await run('b.csv', csv)).toMatchObject({ unchanged: 1 });
    const old = ndjson({ externalId: '1', name: 'Track 1', type: 'music' });
    expect(await run('c.ndjson', old)).toMatchObject({ unchanged: 1 });
    const none = ndjson({ externalId: '1', name: 'Track 1', type: 'music', availability: [] });
    expect(await run('d.ndjson', none)).toMatchObject({ updated: 1 });
    expect(await run('e.ndjson', none)).toMatchObject({ unchanged: 1 });
    expect(await run('f.csv', csv)).toMatchObject({ updated: 1 });
  });
});
