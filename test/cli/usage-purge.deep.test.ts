import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Store } from '../../src/features/store.ts';
import type { UsageEvent } from '../../src/features/usage/usage.ts';
import { CLIENT, DAY_MS, report, stream } from '../contract/usage-support.ts';
import { allOf } from '../harness/all-of.ts';
import { openStoreOf, start, type TemporaryFolder, temporaryFolder } from '../harness/cli.ts';
import { deliveries, importAll } from '../harness/deliveries.ts';
import { testRandom } from '../harness/test-random.ts';
import { until } from '../harness/until.ts';

const TRACKS = 20;
const OLD = 12_000;
const KEPT = 1_500;
/** More than a purge of all old events needs. */
const MAX_RUNS = 30;
const BOUND_MS = 240_000;

const TODAY = Math.floor(Date.now() / DAY_MS);
/** The first day that is kept. */
const BEFORE = TODAY - 410;

let folder: TemporaryFolder;
let store: Store;
beforeEach(async () => {
  folder = temporaryFolder();
  store = await openStoreOf(folder.path);
  await importAll(store, deliveries(0, TRACKS));
});
afterEach(async () => {
  await store.close();
  folder[Symbol.dispose]();
});

/** The events of a few days, in turn, so that old and kept ones are beside each other. */
function allEvents(): { kept: UsageEvent[]; old: UsageEvent[]; all: UsageEvent[] } {
  const kept: UsageEvent[] = [];
  const old: UsageEvent[] = [];
  const all = Array.from({ length: OLD + KEPT }, (_, n) => {
    const isKept = n % ((OLD + KEPT) / KEPT) === 0;
    const day = isKept ? BEFORE + (n % 4) : BEFORE - 1 - (n % 50);
    const eventId = `e-${n}`;
    const use = { occurredAt: day * DAY_MS + n, country: n % 2 === 0 ? 'DE' : null };
    const production = { id: `p-${n}`, title: 'P' };
    const cue = { startSeconds: 1, usage: 'BI' } as const;
    const sync = n % 5 > 0 ? {} : ({ type: 'sync', production, cue } as const);
    const event = stream(eventId, n % TRACKS, { ...use, ...sync });
    (isKept ? kept : old).push(event);
    return event;
  });
  return { kept, old, all };
}

async function send(events: readonly UsageEvent[]): Promise<Set<string>> {
  const results = new Set<string>();
  for (let at = 0; at < events.length; at += 500) {
    const times = { receivedAt: TODAY * DAY_MS, maxAgeDays: 1_000 };
    const sent = await store.usage.report(report(events.slice(at, at + 500), times));
    for (const { status } of sent) results.add(status);
  }
  return results;
}

/** Returns whether the productions of events are stored. */
async function productionsOf(events: readonly UsageEvent[]): Promise<string[]> {
  const found = new Set<string>();
  for (const { production } of events.slice(0, 500)) {
    if (production === null) continue;
    const stored = await store.cueSheets.productionOf(CLIENT, 'live', production.id);
    found.add(stored === undefined ? 'gone' : 'kept');
  }
  return [...found];
}

const RANGE = { mode: 'live', from: TODAY - 1_000, to: TODAY } as const;
const stored = async () => (await allOf(store.usageRecords.events(RANGE))).flat();
/** Returns the number of events by the summary. */
async function counted(): Promise<number> {
  const query = { ...RANGE, clientId: CLIENT, groupBy: 'type' } as const;
  const { totals } = await store.usage.summary(query);
  return totals.streams + totals.syncs;
}

/** Expects the sums, and the ids and productions of the events, to be those of the stored events. */
async function expectWhole(): Promise<number> {
  const events = await stored();
  const sum = (rows: readonly { events: number; seconds: number }[]) =>
    rows.reduce((all, one) => [all[0]! + one.events, all[1]! + one.seconds], [0, 0]);
  const expected = [
    events.length,
    events.reduce((seconds, event) => seconds + (event.seconds ?? 0), 0),
  ];
  const days = (await allOf(store.usageRecords.days(RANGE))).flat();
  expect(sum(days)).toEqual(expected);
  expect(await counted()).toBe(events.length);
  const byDay = new Map<string, number>();
  for (const { occurredAt, trackId } of events) {
    const key = `${Math.floor(occurredAt / DAY_MS)} ${trackId}`;
    byDay.set(key, (byDay.get(key) ?? 0) + 1);
  }
  const summed = new Map<string, number>();
  for (const { day, trackId, events: count } of days) {
    const key = `${day} ${trackId}`;
    summed.set(key, (summed.get(key) ?? 0) + count);
  }
  expect(summed).toEqual(byDay);
  return events.length;
}

it(
  'loses no kept event and leaves no old one if stave usage purge is killed and run again',
  async () => {
    const { kept, old, all } = allEvents();
    await send(all);
    const keptIds = kept.map(({ eventId }) => eventId).sort();
    expect(await expectWhole()).toBe(OLD + KEPT);
    const random = testRandom('kills of usage purge');
    const before = new Date(BEFORE * DAY_MS).toISOString().slice(0, 10);
    let left = OLD + KEPT;
    let killedHalfway = 0;
    for (let run = 0; ; run++) {
      expect(run).toBeLessThan(MAX_RUNS);
      const child = start(folder.path, ['usage', 'purge', '--before', before, '--json']);
      let hasEnded = false;
      const ended = new Promise<number | null>((resolve) =>
        child.once('close', (code) => {
          hasEnded = true;
          resolve(code);
        }),
      );
      const target = left - random.integer(1, OLD / 4);
      await until(async () => hasEnded || (await counted()) <= target, 'a part of the purge');
      child.kill('SIGKILL');
      const code = await ended;
      left = await expectWhole();
      expect((await stored()).map(({ eventId }) => eventId)).toEqual(
        expect.arrayContaining(keptIds),
      );
      if (code === 0) break;
      if (left > KEPT) killedHalfway++;
    }
    expect(killedHalfway).toBeGreaterThan(0);
    expect((await stored()).map(({ eventId }) => eventId).sort()).toEqual(keptIds);
    expect(await productionsOf(kept)).toEqual(['kept']);
    expect(await productionsOf(old)).toEqual(['gone']);
    // The ids of the events that are left, and of no others, are remembered.
    expect([...(await send(kept))]).toEqual(['duplicate']);
    expect([...(await send(old.slice(0, 500)))]).toEqual(['accepted']);
  },
  BOUND_MS,
);
