import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { readConfig } from '../../src/app/config/config.ts';
import { openAppContext } from '../../src/app/open/context.ts';
import { startService } from '../../src/app/service.ts';
import { DAY_MS } from '../../src/common/clock.ts';
import { silentLog } from '../../src/common/log.ts';
import { delivery } from '../harness/catalog.ts';

it('a service that starts deletes expired changes, and closes', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'stave-log-expiry-'));
  const config = { ...readConfig({ PORT: '0', STAVE_DEMO: 'off' }), dataFolder };
  const old = { now: () => Date.now() - (config.historyYears * 366 + 1) * DAY_MS };
  const context = await openAppContext({ config, clock: old, log: silentLog });
  const session = await context.store.catalog.openDelivery('test', 'batch');
  await session.deliver([delivery(1)]);
  await session.close();
  const service = await startService({ config, clock: { now: Date.now }, log: silentLog });
  try {
    await vi.waitFor(async () => {
      expect(await context.store.changes.since(0, ['track'], 10)).toEqual([]);
    }, 60_000);
  } finally {
    await service.close();
    await context.close();
    await rm(dataFolder, { recursive: true });
  }
});
