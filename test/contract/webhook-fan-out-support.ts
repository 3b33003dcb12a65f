import { ensureLogEpoch } from '../../src/changes/log-epoch.ts';
import { FanOut } from '../../src/changes/webhooks/fan-out.ts';
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
  const fanOut = new FanOut({ log: store.changes, store: store.webhookFanOut, clock });
  const run = async () => {
    // Ids of different times sort by their time.
    clock.advance(1);
    await fanOut.run();
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

/** Expects each message of a chain to name the one before. */
export function brokenLinks(payloads: readonly Payload[], first: number): Payload[] {
  let previous = first;
  return payloads.filter(({ data }) => {
    const isBroken = data.previousSeq !== previous;
    previous = data.seq;
    return isBroken;
  });
}
