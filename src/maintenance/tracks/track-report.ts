import { MODES } from '../../access/client.ts';
import type { FoundTrack } from '../../catalog/track-finder.ts';
import type { TrackHolders } from '../../catalog/track-references.ts';
import type { ExplainedChange } from '../../changes/change-log.ts';
import type { EventType } from '../../changes/webhooks/webhook.ts';
import type { SentToClient } from '../../changes/webhooks/webhook-store.ts';
import type { UsageCounts } from '../../licensing/usage-summary.ts';
import type { Store } from '../../storage/store.ts';

/** The latest changes that are shown, and of how many of them the messages are sought. */
const MAX_HISTORY = 100;
const MAX_TOLD = 20;

/** The events of a change of the state of a track. */
const EVENT_OF: Readonly<Record<string, EventType>> = {
  taken_down: 'track.taken_down',
  withdrawn: 'track.taken_down',
  removed: 'track.taken_down',
  restored: 'track.restored',
};

/** What a client has reported. */
export interface ClientUse extends UsageCounts {
  clientId: string;
  clientName: string | null;
  mode: string;
  /** As 2026-11-21. */
  firstDay: string;
  lastDay: string;
}

/** What happened to a track, who holds it and who was told. */
export interface TrackReport {
  track: FoundTrack;
  history: ExplainedChange[];
  told: (SentToClient & { change: ExplainedChange })[];
  usage: ClientUse[];
  holders: TrackHolders;
}

/**
 * Reads what happened to a track, who holds it and who was told.
 *
 * @param days the days of reported use, as numbers since the epoch
 */
export async function reportOf(
  store: Store,
  track: FoundTrack,
  days: { from: number; to: number },
): Promise<TrackReport> {
  const history = await store.changes.latest(MAX_HISTORY, { entity: 'track', entityId: track.id });
  return {
    track,
    history,
    told: await toldOf(store, track.id, history),
    usage: await usageOf(store, track.id, days),
    holders: await store.references.holdersOf([track.rowId]),
  };
}

async function toldOf(
  { webhookDeliveries }: Store,
  trackId: string,
  history: readonly ExplainedChange[],
): Promise<TrackReport['told']> {
  const told: TrackReport['told'] = [];
  const changes = history.filter(({ kind }) => kind in EVENT_OF).slice(0, MAX_TOLD);
  for (const change of changes) {
    const { seq, at, kind } = change;
    const sent = await webhookDeliveries.ofTrackChange({ trackId, seq, at, type: EVENT_OF[kind]! });
    told.push(...sent.map((one) => ({ ...one, change })));
  }
  return told;
}

async function usageOf(
  { usageRecords, usage, clients }: Store,
  trackId: string,
  { from, to }: { from: number; to: number },
): Promise<ClientUse[]> {
  const names = new Map((await clients.all()).map(({ id, name }) => [id, name]));
  const uses: ClientUse[] = [];
  for (const mode of MODES) {
    for (const { clientId, firstDay, lastDay } of await usageRecords.sources({ mode })) {
      const range = { from: Math.max(from, firstDay), to: Math.min(to, lastDay) };
      if (range.from > range.to) continue;
      const query = { clientId, mode, ...range, groupBy: 'day', trackId } as const;
      const { groups, totals } = await usage.summary(query);
      if (groups.length === 0) continue;
      const clientName = names.get(clientId) ?? null;
      const days = { firstDay: groups[0]!.key, lastDay: groups.at(-1)!.key };
      uses.push({ clientId, clientName, mode, ...days, ...totals });
    }
  }
  return uses;
}
