import type { MirrorReport } from './cluster-mirror.ts';
import type { Tally } from './load.ts';
import type { ReporterReport } from './reporter.ts';
import type { ShopReport } from './shopper.ts';

/** The result of one phase. */
export interface Phase {
  name: string;
  tally: Tally;
  /** Other measurements of the phase. */
  notes: readonly string[];
}

/** The counts that must be 0, and the times. */
export interface Report {
  phases: readonly Phase[];
  acknowledgedWrites: number;
  lostWrites: number;
  changes: number;
  missedChanges: number;
  /** Tracks that differ between a node and the database, over all nodes. */
  differingTracks: number;
  mirror: MirrorReport;
  usage: ReporterReport;
  shop: ShopReport;
  overLimit: number;
  wrongResponses: readonly string[];
  /** Milliseconds until every node showed a change, one entry per attempt. */
  changeVisibleMs: readonly number[];
  revocationVisibleMs: readonly number[];
}

/** Returns how many writes, changes, events of usage, sales, messages and responses were lost, missed or wrong. */
export function faultsOf(report: Report): number {
  const { lost, surplus, differingSums, wrong } = report.usage;
  return (
    report.lostWrites +
    report.missedChanges +
    report.differingTracks +
    report.mirror.differing +
    lost +
    surplus +
    differingSums +
    wrong.length +
    shopFaultsOf(report.shop) +
    report.overLimit +
    report.wrongResponses.length
  );
}

function shopFaultsOf(shop: ShopReport): number {
  const { lostLicenses, surplusLicenses, gaps, differingItems, lostMessages, brokenLinks } = shop;
  const lost = lostLicenses + surplusLicenses + gaps + differingItems;
  return lost + lostMessages + brokenLinks + shop.wrong.length;
}

/** Returns the report in Markdown. */
export function markdown(report: Report): string {
  const { mirror, usage, shop } = report;
  const sent = report.phases.reduce((sum, { tally }) => sum + tally.sent, 0);
  const most = (times: readonly number[]) =>
    `${Math.round(Math.max(...times))} ms at most of ${times.length}`;
  return [
    '| phase | sent | responses | slowest | slowest 503 | notes |',
    '|---|---|---|---|---|---|',
    ...report.phases.map(({ name, tally, notes }) => {
      const responses = [...tally.byStatus].sort().map(([status, count]) => `${status}: ${count}`);
      const ms = (value: number) => (value === 0 ? '' : `${Math.round(value)} ms`);
      return `| ${name} | ${tally.sent} | ${responses.join(', ')} | ${ms(tally.slowestMs)} | ${ms(tally.slowest503Ms)} | ${notes.join('; ')} |`;
    }),
    '',
    `- requests sent: ${sent}`,
    `- acknowledged writes lost: ${report.lostWrites} of ${report.acknowledgedWrites}`,
    `- changes missed by any follower: ${report.missedChanges} of ${report.changes}`,
    `- tracks that differ between a node and the database: ${report.differingTracks}`,
    `- tracks that differ in the mirror at the end: ${mirror.differing} of ${mirror.tracks}; it repeated ${mirror.failedRequests} requests`,
    `- usage events lost: ${usage.lost} of ${usage.acknowledgedEvents} acknowledged; counted twice or never sent: ${usage.surplus}; sums that differ on a node: ${usage.differingSums}; wrong responses: ${usage.wrong.length}`,
    `- reports of usage that were repeated: ${[...usage.repeated]
      .sort()
      .map(([cause, count]) => `${cause}: ${count}`)
      .join(', ')}; the last was acknowledged ${Math.round(usage.completedMs)} ms after the end`,
    `- licenses lost on a node: ${shop.lostLicenses} of ${shop.licenses} acknowledged; not acknowledged: ${shop.surplusLicenses}; gaps in their numbers: ${shop.gaps}; tracks of collections that differ on a node: ${shop.differingItems} of ${shop.items}; wrong responses: ${shop.wrong.length}; ${shop.repeated} requests were repeated`,
    `- messages to a webhook lost: ${shop.lostMessages}; broken links: ${shop.brokenLinks}; received: ${shop.messages}`,
    `- requests admitted over the limit: ${report.overLimit}`,
    `- errors that were not 503 with Retry-After: ${report.wrongResponses.length}`,
    `- a change visible on every node: ${most(report.changeVisibleMs)}`,
    `- a revocation effective on every node: ${most(report.revocationVisibleMs)}`,
    '',
  ].join('\n');
}
