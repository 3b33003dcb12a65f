/**
 * `npm run scenarios`: runs three real nodes on PostgreSQL and Redis under load, with every kind of
 * failure, and prints the report. Exits with 1 if anything was lost, missed, or any response was wrong.
 */
import { parseArgs } from 'node:util';
import { runCluster } from '../test/scenarios/cluster/cluster.ts';
import { markdown } from '../test/scenarios/cluster/report.ts';

const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '100000' },
    writers: { type: 'string', default: '16' },
    clients: { type: 'string', default: '32' },
  },
});
const report = await runCluster({
  changes: Number(values.changes),
  writers: Number(values.writers),
  clients: Number(values.clients),
  calmMs: 10_000,
  staleLimitSeconds: 5,
  log: (line) => process.stderr.write(`${line}\n`),
});
process.stdout.write(markdown(report));
for (const wrong of report.wrongResponses.slice(0, 20)) process.stderr.write(`${wrong}\n`);
const faults =
  report.lostWrites +
  report.missedChanges +
  report.differingTracks +
  report.mirror.differing +
  report.overLimit +
  report.wrongResponses.length;
process.exitCode = faults === 0 ? 0 : 1;
