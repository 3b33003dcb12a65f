import { mkdir, rm, symlink } from 'node:fs/promises';
import { expect, it, onTestFinished } from 'vitest';
import { temporaryFolder } from '../../../../test/harness/cli.ts';
import { until } from '../../../../test/harness/until.ts';
import { startReceiver } from '../../../../test/harness/webhook-receiver.ts';
import { openStore } from '../../../app/open/open-store.ts';
import { systemClock } from '../../../common/clock.ts';
import { newSortableId } from '../../../common/ids.ts';
import { type Log, silentLog } from '../../../common/log.ts';
import { ensureLogEpoch } from '../../../engines/change-log/positions.ts';
import { Metrics } from '../../../engines/http/metrics/metrics.ts';
import { createClient } from '../../access/clients.ts';
import type { Store } from '../../store.ts';
import { leasedWebhooks } from './leased-webhooks.ts';

const BY = 'test:webhooks';
/** Finds nothing. */
const FINDER = {
  state: async () => ({ position: 0, version: 0 }),
  find: async () => ({ total: 0, rowIds: [] }),
};

/** Opens a store, and starts what sends its messages. */
async function start({ isDamaged = false } = {}) {
  const folder = temporaryFolder();
  const deps = { clock: systemClock, log: silentLog };
  const store = await openStore({ dataFolder: folder.at('data'), database: null }, deps);
  await ensureLogEpoch(store.settings);
  // The thread finds the data in this folder, unless it is damaged.
  const seen = folder.at('seen');
  const repair = async () => {
    await rm(seen, { recursive: true, force: true });
    await symlink(folder.at('data'), seen);
  };
  if (isDamaged) await mkdir(folder.at('seen', 'stave.db'), { recursive: true });
  else await repair();
  const errors: unknown[] = [];
  const log: Log = { ...silentLog, error: (fields) => errors.push(fields) };
  const metrics = new Metrics();
  const messenger = leasedWebhooks({
    script: new URL('../../../app/webhook-thread.ts', import.meta.url),
    data: {
      store: { dataFolder: seen, database: null },
      targets: 'any',
      nameServers: undefined,
    },
    store,
    log,
    finder: FINDER,
    metrics,
  });
  messenger.start();
  onTestFinished(async () => {
    await messenger.stop();
    await store.close();
    folder[Symbol.dispose]();
  });
  const figure = (series: string) => {
    const line = metrics
      .render()
      .split('\n')
      .find((one) => one.startsWith(`${series} `));
    return Number(line!.slice(series.length));
  };
  return { store, repair, errors, messenger, figure };
}

/** Registers a webhook, and sends it a ping. */
async function ping(store: Store, url: string) {
  const terms = { name: 'Partner', scopes: ['webhooks'], features: ['webhooks'] };
  const { clientId } = await createClient({ store, clock: systemClock, by: BY }, terms);
  const context = { actor: BY, clientId, mode: 'test' } as const;
  const id = newSortableId(systemClock.now());
  const webhook = { id, url, description: '', referencedOnly: false };
  await store.webhooks.create(
    { ...webhook, eventTypes: ['track.created'], secret: Buffer.alloc(32, 1) },
    context,
  );
  await store.webhookDeliveries.ping(id, context);
}

const DELIVERED = 'stave_webhook_deliveries_total{outcome="delivered"}';
const LAG = 'stave_webhook_lag_seconds';

it('sends messages in a thread, which a stop ends, and counts them', async () => {
  await using receiver = await startReceiver();
  const { store, errors, messenger, figure } = await start();
  await ping(store, receiver.url);
  await until(async () => (await store.webhookSending.pending()) === 0);
  expect(receiver.received).toHaveLength(1);
  await messenger.stop();
  // What was not told before is told at the end.
  expect(figure(DELIVERED)).toBe(1);
  expect(figure(LAG)).toBe(0);
  expect(errors).toEqual([]);
});

it('starts a thread that has failed again, and shows meanwhile that changes wait', async () => {
  await using receiver = await startReceiver();
  const { store, repair, errors, figure } = await start({ isDamaged: true });
  expect(figure(LAG)).toBe(0);
  await ping(store, receiver.url);
  await until(async () => errors.length > 1);
  expect(figure(LAG)).toBeGreaterThan(1);
  expect(receiver.received).toEqual([]);
  await repair();
  await until(async () => receiver.received.length > 0);
  await until(async () => figure(LAG) === 0);
});
