import { DAY_MS, systemClock } from '../../../src/common/clock.ts';
import type { Store } from '../../../src/features/store.ts';
import { dayOf, SUMMARY_GROUPS, type UsageCounts } from '../../../src/features/usage/usage.ts';
import type { Node } from './node.ts';
import { repeated } from './repeated.ts';
import type { ReportedEvent } from './usage-batch.ts';

/** How the stored events differ from those that were acknowledged. Each count must be 0. */
export interface StoredDifferences {
  /** Acknowledged events that are not stored as they were sent. */
  lost: number;
  /** Stored rows beyond the first one of each event, and those of no acknowledged event. */
  surplus: number;
}

/** Compares the stored events of a client, row by row, with those that were acknowledged. */
export async function compareStored(
  store: Store,
  clientId: string,
  acknowledged: readonly ReportedEvent[],
): Promise<StoredDifferences> {
  const missing = new Set(acknowledged.map(textOf));
  const today = dayOf(systemClock.now());
  return repeated(async () => {
    const left = new Set(missing);
    let surplus = 0;
    // The run may have begun on another day, or end on one.
    const range = { mode: 'live', clientId, from: today - 2, to: today + 1 } as const;
    for await (const slice of store.usageRecords.events(range)) {
      for (const event of slice) {
        const { occurredAt, seconds, country, productionId, cue, ...rest } = event;
        const text = textOf({
          ...rest,
          occurredAt: new Date(occurredAt).toISOString(),
          ...(seconds !== null && { seconds }),
          ...(country !== null && { country }),
          ...(productionId !== null && { production: { id: productionId } }),
          ...(cue !== null && { cue }),
        });
        if (!left.delete(text)) surplus++;
      }
    }
    return { lost: left.size, surplus };
  });
}

/** What must be stored of an event, as one text. */
function textOf(
  event: Omit<ReportedEvent, 'production'> & { production?: { id: string } },
): string {
  const { eventId, type, trackId, occurredAt, seconds, country, production, cue } = event;
  const place = cue && [cue.startSeconds, cue.usage];
  return JSON.stringify([
    eventId,
    type,
    trackId,
    occurredAt,
    seconds,
    country,
    production?.id,
    place,
  ]);
}

/** Returns how many groups and sums of the summaries of all nodes differ from those of the events. */
export async function differingSums(
  nodes: readonly Node[],
  token: string,
  events: readonly ReportedEvent[],
): Promise<number> {
  const differences = await Promise.all(
    SUMMARY_GROUPS.flatMap((groupBy) => {
      const own = sumsBy(groupBy, events);
      return nodes.map(async (node) => {
        const shown = await summary(node, token, groupBy);
        const keys = new Set([...own.keys(), ...shown.keys()]);
        return [...keys].filter((key) => own.get(key) !== shown.get(key)).length;
      });
    }),
  );
  return differences.reduce((sum, count) => sum + count, 0);
}

type GroupBy = (typeof SUMMARY_GROUPS)[number];

/** The key of the sums over all groups. */
const TOTALS = 'totals';

const keyOf: Readonly<Record<GroupBy, (event: ReportedEvent) => string>> = {
  day: ({ occurredAt }) => occurredAt.slice(0, 10),
  month: ({ occurredAt }) => occurredAt.slice(0, 7),
  track: ({ trackId }) => trackId,
  type: ({ type }) => type,
  country: ({ country = '' }) => country,
};

/** Adds up events as a partner would. Returns the counts of each group, and of all, as texts. */
function sumsBy(groupBy: GroupBy, events: readonly ReportedEvent[]): Map<string, string> {
  const sums = new Map<string, UsageCounts>();
  for (const event of events) {
    for (const key of [keyOf[groupBy](event), TOTALS]) {
      const counts = sums.get(key) ?? { streams: 0, downloads: 0, syncs: 0, seconds: 0 };
      counts[`${event.type}s`]++;
      counts.seconds += event.seconds ?? 0;
      sums.set(key, counts);
    }
  }
  return new Map([...sums].map(([key, counts]) => [key, countsText(counts)]));
}

/** Reads all pages of a summary in the same form. */
async function summary(node: Node, token: string, groupBy: GroupBy): Promise<Map<string, string>> {
  const from = new Date(systemClock.now() - 2 * DAY_MS).toISOString().slice(0, 10);
  const shown = new Map<string, string>();
  for (let page = 1, pages = 1; page <= pages; page++) {
    const path = `/v1/usage/summary?from=${from}&groupBy=${groupBy}&pageSize=100&page=${page}`;
    const data = await node.data(path, token);
    for (const { key, ...counts } of data.items) shown.set(key, countsText(counts));
    shown.set(TOTALS, countsText(data.totals));
    pages = data.totalPages;
  }
  return shown;
}

function countsText({ streams, downloads, syncs, seconds }: UsageCounts): string {
  return `${streams} streams, ${downloads} downloads, ${syncs} syncs, ${seconds} s`;
}
