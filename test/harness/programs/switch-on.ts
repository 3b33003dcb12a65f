import { adapterNamed } from '../store-adapters.ts';

// A child process: switches all tracks that are due at a time, until it is killed or done. Arguments: adapter, location,
// the time in milliseconds since the epoch.
const [adapter, location, now] = process.argv.slice(2);
const store = await adapterNamed(adapter).open(location!, { now: () => Number(now) });
await store.availability.switchDue();
await store.close();
