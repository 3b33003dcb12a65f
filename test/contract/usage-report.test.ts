import { describe, expect, it } from 'vitest';
import { newId } from '../../src/common/ids.ts';
import type { UsageEvent, UsageReport, UsageResult } from '../../src/features/usage/usage.ts';
import { BY, deliveries, delivery, importAll } from '../harness/deliveries.ts';
import { openDatabase } from '../harness/sql-databases.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf, trackId } from '../harness/stores.ts';
import { setTrackState } from '../harness/track-state.ts';
import { CLIENT, DAY_MS, NOW, report, stream } from './usage-support.ts';

const accepted: UsageResult = { status: 'accepted', takenDown: false };
const duplicate: UsageResult = { status: 'duplicate' };
const rejected = (reason: string) => ({ status: 'rejected', reason });

for (const adapter of ADAPTERS) {
  describe(`reports of usage on ${adapter.name}`, () => {
    const open = harnessOf(adapter);
    async function openWith(tracks: number) {
      const harness = await open();
      await importAll(harness.store, deliveries(0, tracks));
      const { usage } = harness.store;
      const send = (events: readonly UsageEvent[], overrides: Partial<UsageReport> = {}) =>
        usage.report(report(events, overrides));
      const database = () => openDatabase(adapter, harness.location, harness.clock);
      return { ...harness, usage, send, database };
    }

    it('count an event once, however often it is sent', async () => {
      const { send } = await openWith(2);
      expect(await send([stream('a'), stream('b', 1), stream('a')])).toEqual([
        accepted,
        accepted,
        duplicate,
      ]);
      expect(await send([stream('b', 1), stream('c'), stream('a')])).toEqual([
        duplicate,
        accepted,
        duplicate,
      ]);
    });

    it('refuse another content under a known id, in the same report or later', async () => {
      const { send } = await openWith(2);
      const first = stream('a', 0, { country: 'DE', userId: 'u-1' });
      const other = rejected('event_conflict');
      expect(await send([first, { ...first, seconds: 43 }])).toEqual([accepted, other]);
      const changes: Partial<UsageEvent>[] = [
        { trackId: trackId(1) },
        { occurredAt: first.occurredAt + 1 },
        { country: 'FR' },
        { country: null },
        { userId: 'u-2' },
        { userId: null },
        { playlistId: newId() },
        { endReason: 'other' },
        { offline: true },
        { licenseNumber: '2026-000123' },
        { type: 'download', seconds: null },
      ];
      for (const change of changes) {
        expect(await send([{ ...first, ...change }])).toEqual([other]);
      }
      expect(await send([first])).toEqual([duplicate]);
    });

    it('judge a known event by its id first, and others in this order: track, age, license', async () => {
      const { send } = await openWith(1);
      const old = NOW - 7 * DAY_MS;
      const ahead = NOW + 300_000;
      const licenseNumber = '2026-000123-7K2QX9MD';
      expect(
        await send([
          stream('a', 5, { occurredAt: old - 1, licenseNumber }),
          stream('b', 0, { occurredAt: old - 1, licenseNumber }),
          stream('c', 0, { occurredAt: ahead + 1, licenseNumber }),
          stream('d', 0, { licenseNumber }),
          stream('e', 0, { occurredAt: old }),
          stream('f', 0, { occurredAt: ahead }),
        ]),
      ).toEqual([
        rejected('unknown_track'),
        rejected('too_old'),
        rejected('in_future'),
        rejected('unknown_license'),
        accepted,
        accepted,
      ]);
      const later = { receivedAt: NOW + DAY_MS };
      expect(
        await send(
          [stream('e', 0, { occurredAt: old }), stream('e', 0, { occurredAt: old - 1 })],
          later,
        ),
      ).toEqual([duplicate, rejected('event_conflict')]);
    });

    it('do not remember an event that was rejected', async () => {
      const { send } = await openWith(1);
      const tooOld = stream('a', 0, { occurredAt: 0 });
      expect(await send([tooOld, stream('a'), tooOld])).toEqual([
        rejected('too_old'),
        accepted,
        rejected('event_conflict'),
      ]);
    });

    it('keep clients and modes apart', async () => {
      const { send } = await openWith(1);
      for (const overrides of [{}, { mode: 'test' } as const, { clientId: newId() }]) {
        expect(await send([stream('a')], overrides)).toEqual([accepted]);
        expect(await send([stream('a')], overrides)).toEqual([duplicate]);
      }
    });

    it('accept a track that was taken down, and not one that was removed', async () => {
      const { store, send } = await openWith(2);
      await importAll(store, [delivery(7, { source: 'gone' })]);
      expect(await send([stream('a', 7)])).toEqual([accepted]);
      await setTrackState(store, trackId(1), 'taken_down', BY);
      await store.catalog.removeSource('gone', BY);
      expect(await send([stream('b', 1), stream('c', 7), stream('a', 7)])).toEqual([
        { status: 'accepted', takenDown: true },
        rejected('unknown_track'),
        duplicate,
      ]);
    });

    it('count once if they run at the same time, also on several nodes', async () => {
      const { usage, another, database } = await openWith(40);
      const events = Array.from({ length: 500 }, (_, n) => stream(`e-${n}`, n % 40));
      const nodes = [usage, (await another()).usage];
      const results = await Promise.all(
        Array.from({ length: 50 }, (_, i) =>
          nodes[i % 2]!.report(report(i % 3 === 0 ? events.toReversed() : events)),
        ),
      );
      const all = results.flat().map(({ status }) => status);
      expect(all.filter((status) => status === 'accepted')).toHaveLength(500);
      expect(all.filter((status) => status === 'duplicate')).toHaveLength(49 * 500);
      await using opened = await database();
      const [counted] = await opened.sql.queries
        .selectFrom('usageEvents')
        .select(({ fn }) => fn.countAll<number>().as('events'))
        .execute();
      const [summed] = await opened.sql.queries
        .selectFrom('usageDays')
        .select(({ fn }) => fn.sum('events').as('events'))
        .where('trackRowId', '>', 0)
        .execute();
      expect([counted!.events, Number(summed!.events)]).toEqual([500, 500]);
    }, 60_000);

    it('store each event, its sums and its production, and nothing of a user', async () => {
      const { send, database } = await openWith(1);
      const production = { id: 'ep-7', title: 'Harbour Lights' };
      const cue = { startSeconds: 62, usage: 'BI' } as const;
      const sync = stream('s', 0, { type: 'sync', seconds: 31, production, cue });
      await send([
        stream('a', 0, { userId: 'u-17', country: 'DE', endReason: 'naturalEnd', offline: true }),
        stream('b', 0, { type: 'download', seconds: null, playlistId: newId() }),
        sync,
      ]);
      await send([{ ...sync, eventId: 't', production: { ...production, title: 'Harbor' } }]);
      await using opened = await database();
      const { queries } = opened.sql;
      const rows = await queries
        .selectFrom('usageEvents')
        .select(['eventId', 'month', 'type', 'seconds', 'country', 'userHash', 'offline', 'cue'])
        .orderBy('eventId')
        .execute();
      expect(rows.map(({ userHash, ...row }) => ({ ...row, user: userHash?.length }))).toEqual([
        {
          eventId: 'a',
          month: 202611,
          type: 1,
          seconds: 42,
          country: 'DE',
          user: 32,
          offline: true,
          cue: null,
        },
        {
          eventId: 'b',
          month: 202611,
          type: 2,
          seconds: null,
          country: null,
          offline: false,
          cue: null,
        },
        {
          eventId: 's',
          month: 202611,
          type: 3,
          seconds: 31,
          country: null,
          offline: false,
          cue: JSON.stringify(cue),
        },
        {
          eventId: 't',
          month: 202611,
          type: 3,
          seconds: 31,
          country: null,
          offline: false,
          cue: JSON.stringify(cue),
        },
      ]);
      expect(rows[0]!.userHash!.includes('u-17')).toBe(false);
      const days = await queries
        .selectFrom('usageDays')
        .select(['day', 'type', 'country', 'events', 'seconds'])
        .where('trackRowId', '>', 0)
        .orderBy('type')
        .execute();
      const day = NOW / DAY_MS - 10 / 24;
      expect(days).toEqual([
        { day, type: 1, country: 'DE', events: 1, seconds: 42 },
        { day, type: 2, country: '', events: 1, seconds: 0 },
        { day, type: 3, country: '', events: 2, seconds: 62 },
      ]);
      const productions = await queries.selectFrom('productions').select('document').execute();
      expect(productions).toEqual([{ document: '{"id":"ep-7","title":"Harbor"}' }]);
      const tracks = await queries.selectFrom('usageTracks').select(['id', 'name']).execute();
      expect(tracks).toEqual([{ id: trackId(0), name: delivery(0).name }]);
    });

    it('follow the name of a track', async () => {
      const { store, send, database } = await openWith(1);
      await send([stream('a')]);
      await importAll(store, [delivery(0, { name: 'Renamed' })]);
      await send([stream('b')]);
      await using opened = await database();
      const tracks = await opened.sql.queries.selectFrom('usageTracks').select('name').execute();
      expect(tracks).toEqual([{ name: 'Renamed' }]);
    });

    it('are committed together with what finishes them, or not at all', async () => {
      const { usage, send } = await openWith(1);
      const context = { actor: 'client:one', clientId: CLIENT, mode: 'live' } as const;
      const finish = async (results: readonly UsageResult[]) => {
        expect(results).toEqual([accepted]);
        throw new Error('no');
      };
      await expect(usage.report(report([stream('a')]), { ...context, finish })).rejects.toThrow(
        'no',
      );
      expect(await send([stream('a')])).toEqual([accepted]);
    });
  });
}
