import { systemClock } from '../../../src/common/clock.ts';
import { newId } from '../../../src/common/ids.ts';
import { BY } from '../deliveries.ts';
import { adapterNamed } from '../store-adapters.ts';

// A child process: opens the store, writes one client, closes. Arguments: adapter, location.
const [adapter, location] = process.argv.slice(2);
const store = await adapterNamed(adapter).open(location!, systemClock);
const client = {
  id: newId(),
  name: 'child',
  scopes: [],
  features: [],
  rateLimit: null,
  account: null,
  rateCard: null,
  spendingLimit: null,
  enabled: true,
  createdAt: 1,
  secrets: [],
  playlistIds: [],
};
await store.clients.create(client, BY);
await store.close();
