import { Follower } from '../../src/engines/change-log/follower.ts';
import { ensureLogEpoch } from '../../src/engines/change-log/positions.ts';
import { ClientRegistry } from '../../src/features/access/registry.ts';
import { LiveCatalog } from '../../src/features/catalog/live/live-catalog.ts';
import { LiveLanguages } from '../../src/features/catalog/live/live-languages.ts';
import { savedTrackFinder } from '../../src/features/saved-searches/routes/saved-search-tracks.ts';
import type { Store } from '../../src/features/store.ts';
import { FanOut } from '../../src/features/webhooks/fan-out.ts';
import { SavedSearchMatches } from '../../src/features/webhooks/saved-search-matches.ts';
import { indexSource } from '../harness/index-source.ts';
import type { Harness } from '../harness/stores.ts';
import { withWebhooks } from './webhooks-support.ts';

/** A payload, as the receiver parses it. */
export interface Payload {
  type: string;
  timestamp: string;
  // biome-ignore lint/suspicious/noExplicitAny: each type has other members
  data: any;
}

/** Adds a client with webhooks, and functions that make messages and read those of an endpoint, oldest first. */
export async function withFanOut(harness: Harness, { isRun = true } = {}) {
  await ensureLogEpoch(harness.store.settings);
  const rest = await withWebhooks(harness);
  const { store, clock, me } = rest;
  const { catalog, catchUp } = await liveCatalog(store);
  const registry = new ClientRegistry(store);
  const finder = savedTrackFinder({
    catalog,
    registry,
    regionGroups: () => [],
    groupsVersion: () => 0,
  });
  const matches = new SavedSearchMatches({ store: store.webhookFanOut, finder, clock });
  const fanOut = new FanOut({ log: store.changes, store: store.webhookFanOut, matches, clock });
  const run = async ({
    isIndexed = true,
    signal,
  }: {
    isIndexed?: boolean;
    signal?: AbortSignal;
  } = {}) => {
    // Ids of different times sort by their time.
    clock.advance(1);
    if (isIndexed) await catchUp();
    await registry.load();
    await fanOut.run(signal);
  };
  const sent = async (webhookId: string, user = me): Promise<Payload[]> => {
    const page = { offset: 0, limit: 10_000 };
    const { deliveries } = await store.webhookDeliveries.list(webhookId, user, page);
    const records = await Promise.all(
      deliveries.map(({ id }) => store.webhookDeliveries.find(webhookId, id, user)),
    );
    return records
      .map(({ payload }) => JSON.parse(payload) as Payload)
      .sort((a, b) => a.data.seq - b.data.seq);
  };
  if (isRun) await run();
  return { ...rest, run, sent };
}

/** Opens the catalog of a store, and a function that applies the changes since then. */
async function liveCatalog(store: Store) {
  const catalog = new LiveCatalog({
    store: store.catalog,
    source: indexSource(store),
    languages: new LiveLanguages({ store: store.languages, original: 'en' }),
  });
  await catalog.load();
  const errors: unknown[] = [];
  const follower = new Follower({
    log: store.changes,
    entities: ['track'],
    from: catalog.position,
    apply: (changes, head) => catalog.apply(changes, head),
    onError: (error) => errors.push(error),
  });
  const catchUp = async () => {
    await follower.poll();
    if (errors.length > 0) throw errors[0];
  };
  return { catalog, catchUp };
}

/** Expects each message of a chain to name the one before. */
export function brokenLinks(payloads: readonly Payload[], first: number): Payload[] {
  let previous = first;
  return payloads.filter(({ data }) => {
    const isBroken = data.previousSeq !== previous;
    previous = data.seq;
    return isBroken;
  });
}
