/**
 * `npm run scenarios`: runs three real nodes on PostgreSQL and Redis under load, with every kind of
 * failure, and prints the report. With `--feed 1000000`, runs the readers of the feed of changes beside
 * writers of that many changes instead, on both databases. With `--webhooks 100000`, sends that many messages
 * to a receiver with faults instead, and kills the sender twice, on both databases. With `--licenses 1000`, sells that
 * many licenses on three nodes that are killed instead, on both databases. Exits with 1 if anything was lost, missed,
 * or any response was wrong.
 */
import { parseArgs } from 'node:util';
import { runCluster } from '../test/scenarios/cluster/cluster.ts';
import { faultsOf, markdown } from '../test/scenarios/cluster/report.ts';
import { faultsOf as feedFaultsOf, runFeed } from '../test/scenarios/feed/run-feed.ts';
import { licenseFaultsOf, runLicenses } from '../test/scenarios/licenses/run-licenses.ts';
import { runWebhooks } from '../test/scenarios/webhooks/run-webhooks.ts';

const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '100000' },
    writers: { type: 'string', default: '16' },
    clients: { type: 'string', default: '32' },
    feed: { type: 'string' },
    webhooks: { type: 'string' },
    licenses: { type: 'string' },
    endpoints: { type: 'string', default: '100' },
  },
});
process.exitCode = (await chosen()) === 0 ? 0 : 1;

/** Runs what the options choose. Returns the number of faults. */
function chosen(): Promise<number> {
  if (values.feed !== undefined) return feed(Number(values.feed));
  if (values.webhooks !== undefined) return webhooks(Number(values.webhooks));
  if (values.licenses !== undefined) return licenses(Number(values.licenses));
  return cluster();
}

async function cluster(): Promise<number> {
  const report = await runCluster({
    changes: Number(values.changes),
    writers: Number(values.writers),
    clients: Number(values.clients),
    calmMs: 10_000,
    pauseMs: 4,
    staleLimitSeconds: 5,
    log: (line) => process.stderr.write(`${line}\n`),
  });
  process.stdout.write(markdown(report));
  const wrong = [...report.wrongResponses, ...report.usage.wrong, ...report.shop.wrong];
  for (const response of wrong.slice(0, 20)) process.stderr.write(`${response}\n`);
  return faultsOf(report);
}

async function feed(changes: number): Promise<number> {
  let faults = 0;
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    const log = (line: string) => process.stderr.write(`${database}, ${line}\n`);
    const report = await runFeed({ changes, writers: 32, database, log });
    const { changes: made, seconds, single, batches } = report;
    process.stdout.write(
      `- ${database}: ${made} changes in ${seconds} s, ${Math.round(made / seconds)} a second; ${made - single} of them in ${batches} transactions, ${single} in one each\n`,
    );
    for (const { reader, events, missed, outOfOrder, older } of report.readers) {
      process.stdout.write(
        `  - ${reader}: ${events} events, ${missed} missed, ${outOfOrder} out of order, ${older} tracks older than their event\n`,
      );
    }
    faults += feedFaultsOf(report);
  }
  return faults;
}

async function webhooks(messages: number): Promise<number> {
  let faults = 0;
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    const log = (line: string) => process.stderr.write(`${database}, ${line}\n`);
    const endpoints = Number(values.endpoints);
    const report = await runWebhooks({ messages, endpoints, database, log });
    process.stdout.write(
      `- ${database}: ${report.messages} messages to ${endpoints} endpoints in ${report.seconds} s, ${report.requests} requests, ${report.refused} refused, ${report.replayed} replayed, ${report.lost} lost, ${report.brokenLinks} broken links\n`,
    );
    faults += report.lost + report.brokenLinks;
  }
  return faults;
}

async function licenses(count: number): Promise<number> {
  let faults = 0;
  for (const database of ['SQLite', 'PostgreSQL'] as const) {
    const log = (line: string) => process.stderr.write(`${database}, ${line}\n`);
    const report = await runLicenses({ licenses: count, kills: 10, database, log });
    process.stdout.write(
      `- ${database}: ${report.licenses} licenses in ${report.seconds} s, ${report.rolledBack} rolled back first, ${report.kills} kills, ${report.races} exclusive ones bought by two at once; ${report.lost} lost, ${report.gaps} gaps in the numbers, ${report.surplus} surplus, ${report.undecided} with another number of buyers than one, ${report.wrong} wrong responses\n`,
    );
    faults += licenseFaultsOf(report);
  }
  return faults;
}
