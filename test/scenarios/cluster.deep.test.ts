import { describe, expect, it } from 'vitest';
import { canStartPostgres } from '../harness/postgres-programs.ts';
import { redisInstalled } from '../harness/redis-server.ts';
import { runCluster } from './cluster/cluster.ts';
import { faultsOf, markdown } from './cluster/report.ts';

// `npm run scenarios` runs the long form, with at least 100,000 changes.
describe.skipIf(!canStartPostgres || !redisInstalled)('three nodes under load', () => {
  it('lose and miss nothing during any failure', { timeout: 900_000 }, async () => {
    const report = await runCluster({
      changes: 5_000,
      writers: 4,
      clients: 6,
      // Other tests run at the same time.
      pauseMs: 40,
      calmMs: 500,
      staleLimitSeconds: 3,
    });
    const table = markdown(report);
    expect([...report.wrongResponses, ...report.usage.wrong, ...report.shop.wrong], table).toEqual(
      [],
    );
    expect(faultsOf(report), table).toBe(0);
    expect(report.mirror.tracks, table).toBeGreaterThanOrEqual(1_000);
    expect(report.usage.acknowledgedEvents, table).toBeGreaterThanOrEqual(5_000);
    for (const cause of ['none', '409', '429', '503']) {
      expect(report.usage.repeated.get(cause), table).toBeGreaterThan(0);
    }
    expect(report.shop.licenses, table).toBeGreaterThanOrEqual(20);
    expect(report.shop.repeated, table).toBeGreaterThan(0);
    expect(report.changes).toBeGreaterThanOrEqual(5_000);
  });
});
