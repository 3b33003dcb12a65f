import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../src/features/store.ts';
import {
  dateOf,
  dayOf,
  SUMMARY_GROUPS,
  type SummaryQuery,
  sortGroups,
  USAGE_TYPES,
  type UsageEvent,
  type UsageGroup,
} from '../../src/features/usage/usage.ts';
import { deliveries, importAll } from '../harness/deliveries.ts';
import { ADAPTERS } from '../harness/store-adapters.ts';
import { harnessOf } from '../harness/stores.ts';
import { CLIENT, DAY_MS, NOW, report, stream } from './usage-support.ts';

const TODAY = dayOf(NOW);
const TRACKS = 4;
/** The days before today on which events occur: two of one month, one of another, and today. */
const AGES = [0, 12, 13, 40];
/** Two reports of a day have as many events as its sums must have to be stored. */
const EVENTS = 500;

type Step =
  | { kind: 'report'; age: number; seed: number }
  | { kind: 'prepare' }
  | { kind: 'purge'; age: number };

const age = fc.constantFrom(...AGES);
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ kind: fc.constant('report'), age, seed: fc.nat() }) },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('prepare') }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('purge'), age }) },
  ) as fc.Arbitrary<Step>,
  { minLength: 4, maxLength: 10 },
);

/** Makes events of all types, tracks, countries and times of a day in UTC. */
function eventsOf(day: number, seed: number, name: string): UsageEvent[] {
  return Array.from({ length: EVENTS }, (_, n) => {
    const x = (n * 7_919 + seed) % 1_000_003;
    const type = USAGE_TYPES[x % 11 === 0 ? 1 : 0]!;
    const at = x % 5 === 0 ? 0 : (x * 86_399) % DAY_MS;
    return stream(`${name}-${n}`, x % TRACKS, {
      type,
      seconds: type === 'download' ? null : x % 300,
      occurredAt: Math.min(day * DAY_MS + at, NOW),
      country: [null, 'DE', 'US'][x % 3]!,
    });
  });
}

/** Adds up the exported events as the summary does. */
async function addUp({ usageRecords }: Store, { groupBy, from, to, type }: SummaryQuery) {
  const groups = new Map<string, UsageGroup>();
  for await (const events of usageRecords.events({ mode: 'live', from, to })) {
    for (const event of events) {
      if (type !== undefined && event.type !== type) continue;
      const date = dateOf(dayOf(event.occurredAt));
      const key = {
        day: date,
        month: date.slice(0, 7),
        track: event.trackId,
        type: event.type,
        country: event.country ?? '',
      }[groupBy];
      const group = groups.get(key) ?? { key, streams: 0, downloads: 0, syncs: 0, seconds: 0 };
      group[`${event.type}s`]++;
      group.seconds += event.seconds ?? 0;
      groups.set(key, group);
    }
  }
  return sortGroups([...groups.values()], groupBy);
}

for (const adapter of ADAPTERS) {
  describe(`summaries of usage on ${adapter.name}`, () => {
    const open = harnessOf(adapter);

    it('are the sums of all events, whatever was reported late, prepared and purged', async () => {
      const { store, clock } = await open();
      clock.advance((NOW - clock.now()) / 1_000);
      await importAll(store, deliveries(0, TRACKS));
      let reports = 0;
      const perform = async (step: Step) => {
        if (step.kind === 'prepare') return store.usage.prepareSummaries();
        if (step.kind === 'purge') return store.usageRecords.purge(TODAY - step.age);
        const events = eventsOf(TODAY - step.age, step.seed, `r${reports++}`);
        return store.usage.report(report(events, { maxAgeDays: 90 }));
      };
      const range = fc.tuple(age, age).map(([a, b]) => [Math.max(a, b), Math.min(a, b)] as const);
      await fc.assert(
        fc.asyncProperty(steps, range, async (taken, [first, last]) => {
          for (const step of taken) await perform(step);
          for (const groupBy of SUMMARY_GROUPS) {
            for (const type of [undefined, 'download'] as const) {
              const days = { from: TODAY - first, to: TODAY - last };
              const query = { clientId: CLIENT, mode: 'live', groupBy, ...days } as const;
              const asked = type === undefined ? query : { ...query, type };
              const { groups, count } = await store.usage.summary(asked);
              expect(groups).toEqual(await addUp(store, asked));
              expect(count).toBe(groups.length);
            }
          }
        }),
        { numRuns: 6 },
      );
    });
  });
}
