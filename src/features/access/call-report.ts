import { type Clock, DAY_MS } from '../../common/clock.ts';
import { BOUNDS_MS, type DayCount } from './calls.ts';
import type { CallStore } from './store/call-store.ts';

/** How the requests of a client ended in one day. */
export interface DayOfCalls {
  /** Such as 2026-11-29, in UTC. */
  day: string;
  /** With those that failed, or that the caller did not wait for. */
  requests: number;
  /** The numbers of errors by type, and of aborted requests as `aborted`. */
  errors: Readonly<Record<string, number>>;
  /** The time within which half of the successful responses were sent, and 95 %; null without one. */
  p50Ms: number | null;
  p95Ms: number | null;
  /** The numbers of requests by the id of their secret; empty for those without a valid one. */
  bySecret: Readonly<Record<string, number>>;
}

/** The last days with requests of a client, the latest first. Days without any are left out. */
export async function readDays(
  { store, clock }: { store: { calls: CallStore }; clock: Clock },
  clientId: string,
  days: number,
): Promise<DayOfCalls[]> {
  const now = clock.now();
  const counts = await store.calls.days(clientId, now - (now % DAY_MS) - (days - 1) * DAY_MS);
  return [...Map.groupBy(counts, ({ at }) => at)].map(([at, ofDay]) => dayOf(at, ofDay));
}

function dayOf(at: number, counts: readonly DayCount[]): DayOfCalls {
  const successes = counts.filter(({ outcome }) => outcome === 'ok');
  const failures = counts.filter(({ outcome }) => outcome !== 'ok');
  return {
    day: new Date(at).toISOString().slice(0, 10),
    requests: sum(counts),
    errors: sumsBy(failures, ({ outcome }) => outcome),
    p50Ms: quantileOf(successes, 0.5),
    p95Ms: quantileOf(successes, 0.95),
    bySecret: sumsBy(counts, ({ secretId }) => secretId),
  };
}

function sum(counts: readonly DayCount[]): number {
  return counts.reduce((all, { requests }) => all + requests, 0);
}

/** The greatest sum comes first. */
function sumsBy(
  counts: readonly DayCount[],
  keyOf: (count: DayCount) => string,
): Record<string, number> {
  const sums = [...Map.groupBy(counts, keyOf)].map(([key, of]) => [key, sum(of)] as const);
  return Object.fromEntries(sums.sort(([, a], [, b]) => b - a));
}

/** Returns the time within which this part of the responses was sent, as if those of a bound were spread evenly. */
function quantileOf(counts: readonly DayCount[], part: number): number | null {
  const wanted = sum(counts) * part;
  if (wanted === 0) return null;
  let before = 0;
  let from = 0;
  for (const bound of BOUNDS_MS) {
    const within = sum(counts.filter(({ underMs }) => underMs === bound));
    if (before + within >= wanted) return from + ((bound - from) * (wanted - before)) / within;
    before += within;
    from = bound;
  }
  return from;
}
