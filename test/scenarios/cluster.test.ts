import { describe, expect, it } from 'vitest';
import { canStartPostgres } from '../harness/postgres-server.ts';
import { redisInstalled } from '../harness/redis-server.ts';
import { runCluster } from './cluster/cluster.ts';
import { markdown } from './cluster/report.ts';

// The long form, with 100,000 changes and more: npm run scenarios
describe.skipIf(!canStartPostgres || !redisInstalled)('three nodes under load', () => {
  it('lose, miss and forget nothing whatever happens to them', { timeout: 240_000 }, async () => {
    const report = await runCluster({
      changes: 5_000,
      writers: 4,
      clients: 6,
      calmMs: 500,
      staleLimitSeconds: 3,
    });
    const table = markdown(report);
    expect(report.lostWrites, table).toBe(0);
    expect(report.missedChanges, table).toBe(0);
    expect(report.differingTracks, table).toBe(0);
    expect(report.overLimit, table).toBe(0);
    expect(report.wrongAnswers, table).toEqual([]);
    expect(report.changes).toBeGreaterThanOrEqual(5_000);
  });
});
