import type { WriteContext } from '../../src/common/caller.ts';
import { newSortableId } from '../../src/common/ids.ts';
import type { Client } from '../../src/features/access/client.ts';
import type { NewWebhook } from '../../src/features/webhooks/store/webhook-store.ts';
import type { Webhook } from '../../src/features/webhooks/webhook.ts';
import { BY } from '../harness/deliveries.ts';
import { type Harness, someClient } from '../harness/stores.ts';
import { asClient } from './collections-support.ts';

/** Adds a client with the features of webhooks, and a function that creates endpoints. */
export async function withWebhooks(harness: Harness, overrides: Partial<Client> = {}) {
  const { store, clock } = harness;
  const features: Client['features'] = ['changes', 'webhooks', 'saved-searches'];
  const client = someClient({ account: 'Acme', features, ...overrides });
  await store.clients.create(client, BY);
  const me = asClient(client.id);
  const create = (
    given: Partial<NewWebhook> = {},
    by: WriteContext<never> = me,
  ): Promise<Webhook> =>
    store.webhooks.create(
      {
        id: newSortableId(clock.now()),
        url: 'https://partner.example/hook',
        eventTypes: ['track.created'],
        description: '',
        referencedOnly: false,
        secret: Buffer.alloc(32, 1),
        ...given,
      },
      by,
    );
  return { ...harness, client, me, create };
}
