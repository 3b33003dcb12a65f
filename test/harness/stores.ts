import { afterAll, afterEach, expect } from 'vitest';
import { derivedId, newId } from '../../src/common/ids.ts';
import type { Change } from '../../src/engines/change-log/change-log.ts';
import type { Client } from '../../src/features/access/client.ts';
import type { Store } from '../../src/features/store.ts';
import { CHANGE_ENTITIES } from './change-entities.ts';
import { TestClock } from './clock.ts';
import type { Adapter, Place } from './store-adapters.ts';

export interface Harness extends AsyncDisposable {
  clock: TestClock;
  location: string;
  store: Store;
  /** Opens one more store on the same data, as another process would. */
  another(): Promise<Store>;
}

/**
 * Opens stores for the tests of a file, and closes and removes them after each test. A test that opens many disposes of
 * each, because the connections of the database server are limited.
 */
export function harnessOf(
  adapter: Adapter,
  makeClock = () => new TestClock(Date.UTC(2026, 0, 1)),
): () => Promise<Harness> {
  const ends = new Set<() => Promise<void>>();
  /** Empty places for the next tests. */
  const spare: Place[] = [];
  afterEach(async () => {
    await Promise.all([...ends].map((end) => end()));
  });
  afterAll(async () => {
    await Promise.all(spare.map((place) => place.dispose()));
  });
  return async () => {
    const place = spare.pop() ?? (await adapter.provide());
    const stores: Store[] = [];
    const end = async () => {
      ends.delete(end);
      await Promise.all(stores.map((store) => store.close()));
      if (await place.emptied?.empty()) spare.push(place);
      else await place.dispose();
    };
    ends.add(end);
    const clock = makeClock();
    const another = async () => {
      const store = await adapter.open(place.location, clock);
      stores.push(store);
      return store;
    };
    const store = await another();
    await place.emptied?.remember();
    return { clock, location: place.location, store, another, [Symbol.asyncDispose]: end };
  };
}

/** All changes of the log, oldest first. */
export function allChanges(store: Store): Promise<Change[]> {
  return store.changes.since(0, CHANGE_ENTITIES, Number.MAX_SAFE_INTEGER);
}

/** The changes after `seq` as `track.created` and the like, oldest first. */
export async function kindsAfter(store: Store, seq: number): Promise<string[]> {
  const changes = await allChanges(store);
  return changes
    .filter((change) => change.seq > seq)
    .map(({ entity, kind }) => `${entity}.${kind}`);
}

export function someClient(overrides: Partial<Client> = {}): Client {
  return {
    id: newId(),
    name: 'Partner',
    scopes: ['tracks', 'search'],
    features: [],
    rateLimit: null,
    account: null,
    rateCard: null,
    spendingLimit: null,
    enabled: true,
    createdAt: Date.UTC(2026, 0, 1),
    secrets: [],
    playlistIds: [],
    ...overrides,
  };
}

/** The id of the nth track of the tests. */
export function trackId(n: number): string {
  return derivedId('contract', String(n));
}

/** The row ids of the tracks, in the order of the ids; 0, which no row has, for a track that is not live. */
export async function numbersOf(store: Store, ids: readonly string[]): Promise<number[]> {
  const entries = await store.catalog.indexEntries(ids);
  const numbers = new Map(entries.map(({ id, rowId }) => [id, rowId]));
  return ids.map((id) => numbers.get(id) ?? 0);
}

/** Expects each call to fail with `not_found`. */
export async function expectNotFound(...calls: Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(calls)) {
    expect(result).toMatchObject({ status: 'rejected', reason: { kind: 'not_found' } });
  }
}
