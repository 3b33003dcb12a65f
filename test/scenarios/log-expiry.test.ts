import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { LOG_DAYS } from '../../src/changes/log-expiry.ts';
import { readConfig } from '../../src/config.ts';
import { openHouse } from '../../src/house.ts';
import { DAY_MS } from '../../src/kernel/clock.ts';
import { silentLog } from '../../src/kernel/log.ts';
import { startService } from '../../src/service.ts';
import { delivery } from '../harness/catalog.ts';

it('a service that starts forgets the changes of long ago, and closes', async () => {
  const dataFolder = await mkdtemp(join(tmpdir(), 'stave-log-expiry-'));
  const config = { ...readConfig({ PORT: '0', STAVE_DEMO: 'off' }), dataFolder };
  const old = { now: () => Date.now() - (LOG_DAYS + 1) * DAY_MS };
  const house = await openHouse({ config, clock: old, log: silentLog });
  const session = await house.store.catalog.openDelivery('test', 'batch');
  await session.deliver([delivery(1)]);
  await session.close();
  const service = await startService({ config, clock: { now: Date.now }, log: silentLog });
  try {
    await vi.waitFor(async () => {
      expect(await house.store.changes.since(0, ['track'], 10)).toEqual([]);
    });
  } finally {
    await service.close();
    await house.close();
    await rm(dataFolder, { recursive: true });
  }
});
