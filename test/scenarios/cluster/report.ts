import type { MirrorReport } from './cluster-mirror.ts';
import type { Tally } from './load.ts';
import type { ReporterReport } from './reporter.ts';

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
  overLimit: number;
  wrongResponses: readonly string[];
  /** Milliseconds until every node showed a change, one entry per attempt. */
  changeVisibleMs: readonly number[];
  revocationVisibleMs: readonly number[];
}

/** Returns how many writes, changes, events of usage and responses were lost, missed or wrong. */
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
    report.overLimit +
    report.wrongResponses.length
  );
}

/** Returns the report in Markdown. */
export function markdown(report: Report): string {
  const { mirror, usage } = report;
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
    `- requests admitted over the limit: ${report.overLimit}`,
    `- errors that were not 503 with Retry-After: ${report.wrongResponses.length}`,
    `- a change visible on every node: ${most(report.changeVisibleMs)}`,
    `- a revocation effective on every node: ${most(report.revocationVisibleMs)}`,
    '',
  ].join('\n');
}
