import { type Clock, DAY_MS } from '../../common/clock.ts';
import { CountWriter } from '../../common/memory/count-writer.ts';
import {
  BOUNDS_MS,
  type Call,
  type DayCount,
  type FailedRequest,
  isAside,
  KEPT_ERRORS,
  type SecretAddress,
} from './calls.ts';
import type { CallStore } from './store/call-store.ts';

/**
 * Records how the requests of clients ended: in memory, and every five seconds in the database. Between two writes, it
 * keeps at most one count for each way in which the requests of a secret can end, and KEPT_ERRORS errors of a client.
 */
export class CallRecorder {
  readonly #clock: Clock;
  readonly #isClient: (id: string) => boolean;
  readonly #days: CountWriter<DayCount>;
  readonly #addresses: CountWriter<SecretAddress>;
  readonly #errors: CountWriter<FailedRequest & { slot: number }>;
  /** How many errors of each client were recorded. */
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
      keyOf: ({ clientId, secretId, address }) => `${clientId} ${secretId} ${address}`,
      merge(into, { requests, firstAt, lastAt }) {
        into.requests += requests;
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

  ended({ clientId, secretId, error, ms, status, caller, ...call }: Call): void {
    if (error !== undefined && !this.#isClient(clientId)) return;
    const now = this.#clock.now();
    const isOk = error === undefined && status !== undefined;
    this.#days.add({
      ...{ clientId, secretId: secretId ?? '', at: now - (now % DAY_MS), requests: 1 },
      outcome: error ?? (isOk ? 'ok' : 'aborted'),
      underMs: isOk ? (BOUNDS_MS.find((bound) => ms < bound) ?? BOUNDS_MS.at(-1)!) : 0,
    });
    if (secretId !== undefined && caller !== '') {
      const seen = { requests: 1, firstAt: now, lastAt: now };
      this.#addresses.add({ clientId, secretId, address: caller, ...seen });
    }
    if (error === undefined) return;
    const count = this.#errorsOf.get(clientId) ?? 0;
    this.#errorsOf.set(clientId, count + 1);
    const { requestId, operationId, problem = '' } = call;
    this.#errors.add({
      ...{ clientId, at: now, requestId, secretId: secretId ?? '', operationId },
      ...{ status: status ?? null, error, problem, caller, slot: count % KEPT_ERRORS },
    });
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
