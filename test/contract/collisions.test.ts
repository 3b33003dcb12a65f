import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { DAY_MS, systemClock } from '../../src/common/clock.ts';
import type { SqlDatabase } from '../../src/engines/sql/database.ts';
import type { Occupation } from '../../src/features/licensing/quote.ts';
import { collisionsAside } from '../../src/features/licensing/store/licensable-tracks.ts';
import { CueSheetStore } from '../../src/features/usage/store/cue-sheet-store.ts';
import { BY } from '../harness/deliveries.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { withSales } from './licensing-support.ts';

const TRACKS = Array.from({ length: 100 }, (_, n) => n);
const IDS = TRACKS.map(trackId);
/** The start of the clock of the tests. */
const START = Date.UTC(2026, 0, 1);

/** Copies the only license, which has all tracks, 1,999 times. */
const COPIES = `
INSERT INTO quotes (id, client_id, mode, request, document, amount_minor, currency, created_at, expires_at)
  WITH RECURSIVE copies (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM copies WHERE n < 1999)
  SELECT 'copy ' || n, client_id, mode, request, document, amount_minor, currency, created_at, expires_at
  FROM quotes, copies WHERE quotes.license_row_id IS NOT NULL;
INSERT INTO issued_licenses (number, client_id, mode, quote_row_id, document, certificate, amount_minor, currency,
    issued_at, starts_at, ends_at, production_id)
  SELECT quotes.id, license.client_id, license.mode, quotes.row_id, license.document, license.certificate,
    license.amount_minor, license.currency, license.issued_at, license.starts_at, license.ends_at, quotes.id
  FROM issued_licenses AS license, quotes WHERE quotes.id LIKE 'copy %';
INSERT INTO issued_license_uses (license_row_id, client_id, media, territories, starts_at)
  SELECT license.row_id, used.client_id, used.media, used.territories, used.starts_at
  FROM issued_license_uses AS used, issued_licenses AS license WHERE license.number LIKE 'copy %';
INSERT INTO issued_license_tracks (license_row_id, position, track_id, exclusive, mode, occupied_until)
  SELECT license.row_id, track.position, track.track_id, track.exclusive, track.mode, track.occupied_until
  FROM issued_license_tracks AS track, issued_licenses AS license WHERE license.number LIKE 'copy %';
`;

for (const adapter of ADAPTERS) {
  describe(`collisions of licenses on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    const start = async (count?: number) => withSales(await open(), count);

    it('need a medium, a country and a moment in common', async () => {
      const { store, me, other, sell } = await start(1);
      const license = await sell(other, [0], {
        media: ['online', 'social'],
        territories: ['DE', 'AT'],
        startsAt: START + DAY_MS,
      });
      const { startsAt } = license;
      const endsAt = license.endsAt!;
      const use: Occupation = {
        ...{ media: ['online', 'social'], territories: ['DE', 'AT'] },
        ...{ exclusive: true, startsAt, endsAt },
      };
      const cases: [string, Partial<Occupation>, boolean][] = [
        ['the same', {}, true],
        ['neither is exclusive', { exclusive: false }, false],
        ['one medium in common', { media: ['broadcast', 'social'] }, true],
        ['no medium in common', { media: ['broadcast'] }, false],
        ['one country in common', { territories: ['FR', 'AT'] }, true],
        ['no country in common', { territories: ['FR'] }, false],
        ['the world', { territories: ['WORLD'] }, true],
        ['the moment before', { startsAt: START, endsAt: startsAt }, false],
        ['the first moment', { startsAt: START, endsAt: startsAt + 1 }, true],
        ['the last moment', { startsAt: endsAt - 1, endsAt: endsAt + 9 }, true],
        ['the moment after', { startsAt: endsAt, endsAt: endsAt + 9 }, false],
        ['without an end, before', { startsAt: START, endsAt: null }, true],
        ['without an end, after', { startsAt: endsAt, endsAt: null }, false],
      ];
      for (const [name, members, expected] of cases) {
        const found = await store.quotes.collisions(IDS, { ...use, ...members }, me, START);
        expect([...found], name).toEqual(expected ? [trackId(0)] : []);
      }
    });

    it('are found among the licenses of the world and those without an end', async () => {
      const { store, clock, me, other, sell } = await start(3);
      await sell(other, [0], { territories: ['WORLD'], term: 'PERPETUAL', exclusive: true });
      const { number } = await sell(other, [1], { exclusive: true });
      const use = { media: ['online'], territories: ['FR', 'DE'], exclusive: false };
      const found = async (startsAt: number) => {
        const ids = await store.quotes.collisions(IDS, { ...use, startsAt, endsAt: null }, me, 0);
        return [...ids].sort();
      };
      expect(await found(START)).toEqual([trackId(0), trackId(1)].sort());
      expect(await found(START + 9_000 * DAY_MS)).toEqual([trackId(0)]);
      await store.issuedLicenses.revoke(number, { reason: 'x', now: clock.now() }, BY);
      expect(await found(START)).toEqual([trackId(0)]);
    });

    it('are decided by three statements for 2,000 licenses of 100 tracks, while others are served', async () => {
      const { store, clock, location, me, other, quote, buy, sell } = await start(100);
      const quoted = await quote(me, TRACKS, { exclusive: true });
      await sell(other, TRACKS, { territories: ['CH'] });
      await using database = await openDatabase(adapter, location, clock);
      await database.run(COPIES);
      await sell(other, [7, 9], { media: ['broadcast'] });
      const use = { territories: ['DE', 'AT'], exclusive: true, startsAt: START, endsAt: null };
      const found = (media: string[]) =>
        store.quotes.collisions(IDS, { ...use, media }, me, clock.now());
      const order: string[] = [];
      const sought = found(['broadcast']).then((ids) => {
        order.push('decided');
        return ids;
      });
      await nextTurn();
      order.push('served');
      expect([...(await sought)].sort()).toEqual([trackId(7), trackId(9)].sort());
      expect(order).toEqual(['served', 'decided']);
      expect([...(await found(['online']))]).toEqual([]);
      const counted = counting(database.sql);
      const sale = { ...use, media: ['broadcast'] };
      await collisionsAside(counted.sql, {
        ...{ trackIds: IDS, use: sale, buyer: me, now: clock.now() },
      });
      expect(counted.statements).toBeLessThanOrEqual(3);
      expect(counted.rows).toBeLessThanOrEqual(4);
      expect((await buy(me, quoted)).isNew).toBe(true);
    });

    it('do not read 2,000 licenses for the cue sheet of a production', async () => {
      const { clock, location, me, sell } = await start(100);
      const project = { name: 'Spring ad', productionId: 'ep-7' };
      const { number } = await sell(me, TRACKS, { project });
      await using database = await openDatabase(adapter, location, clock);
      await database.run(COPIES);
      const newest = await sell(me, [3], { project });
      const counted = counting(database.sql);
      const licenses = await new CueSheetStore(counted.sql, systemClock).licensesOf('ep-7', IDS, {
        ...{ ...me, now: clock.now() },
      });
      expect(licenses).toEqual(new Map(IDS.map((id, n) => [id, n === 3 ? newest.number : number])));
      expect(counted).toMatchObject({ statements: 1, rows: 100 });
    });
  });
}

/** Returns the database with counts of the statements that it executes and the rows that they return. */
function counting({ queries, aside, dialect, blocksEventLoop }: SqlDatabase) {
  const counts = { statements: 0, rows: 0 };
  const counted = (of: SqlDatabase['queries']) =>
    of.withPlugin({
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        counts.statements++;
        counts.rows += result.rows.length;
        return result;
      },
    });
  const sql = { queries: counted(queries), aside: counted(aside), dialect, blocksEventLoop };
  return Object.assign(counts, { sql: sql as unknown as SqlDatabase });
}
