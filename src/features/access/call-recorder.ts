import type { EndedCall } from '../../common/caller.ts';
import { type Clock, DAY_MS } from '../../common/clock.ts';
import { keptIn } from '../../common/memory/caches.ts';
import { CountWriter } from '../../common/memory/count-writer.ts';
import {
  boundOf,
  type DayCount,
  type FailedRequest,
  isAside,
  KEPT_ADDRESSES,
  KEPT_ERRORS,
  type SecretAddress,
} from './calls.ts';
import type { CallStore } from './store/call-store.ts';

/**
 * Records how the requests of clients ended: in memory, and every five seconds in the database. Between two writes, it
 * keeps one count for each way in which the requests of a secret ended, KEPT_ADDRESSES addresses of a secret, and twice
 * KEPT_ERRORS errors of a client. Every request is recorded, so a success costs some look-ups by texts that exist already.
 */
export class CallRecorder {
  readonly #clock: Clock;
  readonly #isClient: (id: string) => boolean;
  readonly #days: CountWriter<DayCount>;
  readonly #addresses: CountWriter<SecretAddress>;
  /** The counts since the last write, by secret, or by client without one, and by outcome or upper bound. */
  readonly #dayCounts = new Map<string, Map<string | number, DayCount>>();
  /** The addresses since the last write, by secret and address. */
  readonly #seen = new Map<string, Map<string, SecretAddress>>();
  readonly #errors: CountWriter<FailedRequest & { slot: number }>;
  /** How many errors were recorded of each client, and of those aside. */
  readonly #errorsOf = new Map<string, number>();

  constructor({
    clock,
    store,
    isClient,
    ...options
  }: {
    clock: Clock;
    store: Pick<CallStore, 'addDays' | 'addAddresses' | 'addErrors'>;
    /** Whether a client exists. Refused requests may name others, which would fill the database. */
    isClient: (id: string) => boolean;
    onError: (error: unknown) => void;
    /** For tests that cannot wait. */
    writeMs?: number;
  }) {
    this.#clock = clock;
    this.#isClient = isClient;
    this.#days = new CountWriter({
      ...options,
      name: 'writing the daily counts of requests',
      store: { add: (counts) => store.addDays(counts) },
      collect: () => takeAll(this.#dayCounts),
      keyOf: ({ clientId, secretId, at, outcome, underMs }) =>
        `${clientId} ${secretId} ${at} ${outcome} ${underMs}`,
      merge(into, count) {
        into.requests += count.requests;
      },
    });
    this.#addresses = new CountWriter({
      ...options,
      name: 'writing the addresses of requests',
      store: { add: (addresses) => store.addAddresses(addresses) },
      collect: () => takeAll(this.#seen),
      keyOf: ({ clientId, secretId, address }) => `${clientId} ${secretId} ${address}`,
      merge(into, { requests, errors, firstAt, lastAt }) {
        into.requests += requests;
        into.errors += errors;
        into.firstAt = Math.min(into.firstAt, firstAt);
        into.lastAt = Math.max(into.lastAt, lastAt);
      },
    });
    this.#errors = new CountWriter({
      ...options,
      name: 'writing the errors of requests',
      store: { add: (errors) => store.addErrors(errors.map(({ slot: _, ...error }) => error)) },
      keyOf: (error) => `${error.clientId} ${isAside(error)} ${error.slot}`,
      merge(into, error) {
        if (error.at >= into.at) Object.assign(into, error);
      },
    });
  }

  ended(call: EndedCall): void {
    const { clientId, secretId, error, ms, status, caller } = call;
    if (error !== undefined && !this.#isClient(clientId)) return;
    const now = this.#clock.now();
    const isOk = error === undefined && status !== undefined;
    this.#countDay(isOk ? boundOf(ms) : (error ?? 'aborted'), { clientId, secretId, now });
    if (secretId !== undefined && caller !== '') {
      this.#see(caller, { clientId, secretId, now, isOk });
    }
    if (error === undefined) return;
    const { requestId, operationId, method, path, problem = '' } = call;
    const failed = {
      ...{ clientId, at: now, requestId, secretId: secretId ?? '', operationId, method, path },
      ...{ status: status ?? null, error, problem, caller },
    };
    const group = `${clientId} ${isAside(failed)}`;
    const count = this.#errorsOf.get(group) ?? 0;
    this.#errorsOf.set(group, count + 1);
    this.#errors.add({ ...failed, slot: count % KEPT_ERRORS });
  }

  /** @param how the upper bound of the time of a success, or another outcome */
  #countDay(
    how: string | number,
    { clientId, secretId, now }: { clientId: string; secretId: string | undefined; now: number },
  ): void {
    const counts = keptIn(this.#dayCounts, secretId ?? clientId, () => new Map());
    const at = now - (now % DAY_MS);
    let count = counts.get(how);
    if (count?.at !== at) {
      if (count !== undefined) this.#days.add(count);
      const [outcome, underMs] = typeof how === 'number' ? ['ok', how] : [how, 0];
      count = { clientId, secretId: secretId ?? '', at, outcome, underMs, requests: 0 };
      counts.set(how, count);
    }
    count.requests++;
  }

  #see(
    address: string,
    {
      clientId,
      secretId,
      now,
      isOk,
    }: { clientId: string; secretId: string; now: number; isOk: boolean },
  ): void {
    const seen = keptIn(this.#seen, secretId, () => new Map());
    const before = seen.get(address);
    const errors = isOk ? 0 : 1;
    if (before !== undefined) {
      before.requests++;
      before.errors += errors;
      before.lastAt = now;
    } else if (seen.size < KEPT_ADDRESSES) {
      const times = { firstAt: now, lastAt: now };
      seen.set(address, { clientId, secretId, address, requests: 1, errors, ...times });
    }
  }

  start(): void {
    for (const writer of this.#writers()) writer.start();
  }

  async stop(): Promise<void> {
    for (const writer of this.#writers()) await writer.stop();
  }

  async write(): Promise<void> {
    for (const writer of this.#writers()) await writer.write();
  }

  #writers() {
    return [this.#days, this.#addresses, this.#errors];
  }
}

/** Returns all values, and empties the map. */
function takeAll<Key, Value>(maps: Map<string, Map<Key, Value>>): Value[] {
  const values = [...maps.values()].flatMap((one) => [...one.values()]);
  maps.clear();
  return values;
}
