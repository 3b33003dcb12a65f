import type { Caller } from '../../common/caller.ts';
import { type Clock, DAY_MS, HOUR_MS, MINUTE_MS } from '../../common/clock.ts';
import { type CountStore, CountWriter } from '../../common/memory/count-writer.ts';

/** The length of a step, in which requests are counted. */
export const STEP_MS = 5 * MINUTE_MS;
/** Older steps are deleted, except the last one of each secret. */
export const KEPT_MS = DAY_MS + 2 * STEP_MS;

/** The requests with one secret in one step. */
export interface RequestCount {
  clientId: string;
  secretId: string;
  /** The start of the step, in milliseconds since the epoch. */
  at: number;
  /** All requests, with the limited ones. */
  requests: number;
  /** The requests over the limit of the client, which were refused. */
  limited: number;
  /** The time of the last use of the secret or a token of it. */
  usedAt: number;
}

export interface Requests {
  requests: number;
  limited: number;
}

export interface SecretUse {
  clientId: string;
  secretId: string;
  lastUsedAt: number;
  lastHour: Requests;
  lastDay: Requests;
}

/** The starts of the steps from which requests count for the last hour and the last day. */
export interface Since {
  hour: number;
  day: number;
}

/** The requests of a client in one step. */
export interface RequestStep extends Requests {
  /** The start of the step, in milliseconds since the epoch. */
  at: number;
}

/** The first step may begin before the hour or the day. */
export function since(now: number): Since {
  return { hour: stepOf(now - HOUR_MS), day: stepOf(now - DAY_MS) };
}

/** Counts requests in memory, and adds the counts to those in the database every five seconds. */
export class RequestCounter extends CountWriter<RequestCount> {
  readonly #clock: Clock;
  /** The counts since the last write, by secret. */
  readonly #counts: Map<string, RequestCount>;

  constructor({
    clock,
    ...options
  }: {
    clock: Clock;
    store: CountStore<RequestCount>;
    onError: (error: unknown) => void;
    /** For tests that cannot wait. */
    writeMs?: number;
  }) {
    const counts = new Map<string, RequestCount>();
    super({
      ...options,
      name: 'writing the counts of requests',
      collect() {
        const due = [...counts.values()];
        counts.clear();
        return due;
      },
      keyOf: ({ clientId, secretId, at }) => `${clientId} ${secretId} ${at}`,
      merge(into, count) {
        into.requests += count.requests;
        into.limited += count.limited;
        into.usedAt = Math.max(into.usedAt, count.usedAt);
      },
    });
    this.#clock = clock;
    this.#counts = counts;
  }

  /** @param allowed false if the request exceeds the limit of the client */
  count(caller: Pick<Caller, 'clientId' | 'secretId'>, allowed: boolean): void {
    const count = this.#countOf(caller);
    count.requests++;
    if (!allowed) count.limited++;
  }

  /** Records the use of a secret without a request. */
  used(secret: { clientId: string; secretId: string }): void {
    this.#countOf(secret);
  }

  #countOf({ clientId, secretId }: { clientId: string; secretId: string }): RequestCount {
    const now = this.#clock.now();
    const at = stepOf(now);
    let count = this.#counts.get(secretId);
    if (count === undefined || count.at !== at) {
      if (count !== undefined) this.add(count);
      count = { clientId, secretId, at, requests: 0, limited: 0, usedAt: now };
      this.#counts.set(secretId, count);
    }
    count.usedAt = now;
    return count;
  }
}

function stepOf(time: number): number {
  return time - (time % STEP_MS);
}
