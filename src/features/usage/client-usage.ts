import type { UsageStore } from './store/usage-store.ts';
import type { UsageRange, UsageSource } from './usage-records.ts';
import type { UsageCounts } from './usage-summary.ts';

/** What a client has reported. */
export interface ClientUsage extends UsageCounts {
  clientId: string;
}

/** Adds up the reported use of each client within a range. Leaves out those without any. */
export async function usageOfClients(
  { usage }: { usage: Pick<UsageStore, 'summary'> },
  sources: readonly UsageSource[],
  range: UsageRange,
): Promise<ClientUsage[]> {
  const counts: ClientUsage[] = [];
  for (const { clientId, firstDay, lastDay } of sources) {
    const from = Math.max(range.from, firstDay);
    const to = Math.min(range.to, lastDay);
    if (from > to) continue;
    const { totals } = await usage.summary({
      mode: range.mode,
      clientId,
      from,
      to,
      groupBy: 'type',
    });
    counts.push({ clientId, ...totals });
  }
  return counts.filter(({ streams, downloads, syncs }) => streams + downloads + syncs > 0);
}
