import { systemClock } from '../../../src/common/clock.ts';
import { BY, deliveries } from '../deliveries.ts';
import { adapterNamed } from '../store-adapters.ts';

// A child process: delivers batch after batch until it is killed or done, and prints after each batch how many tracks
// the store has acknowledged. Arguments: adapter, location, tracks per batch, batches.
const [adapter, location, batchSize, batches] = process.argv.slice(2);
const store = await adapterNamed(adapter).open(location!, systemClock);
const session = await store.catalog.openDelivery(BY, 'child');
const size = Number(batchSize);
for (let from = 0; from < size * Number(batches); from += size) {
  await session.deliver(deliveries(from, from + size));
  process.stdout.write(`${from + size}\n`);
}
await session.close();
await store.close();
