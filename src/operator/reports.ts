import { MODES } from '../common/caller.ts';
import { DAY_MS } from '../common/clock.ts';
import {
  type ChangeFilter,
  type ExplainedChange,
  type TrackEvent,
  trackEventOf,
} from '../engines/change-log/change-log.ts';
import type { MediaUse } from '../features/media/media-requests.ts';
import type { Store } from '../features/store.ts';
import type { FoundTrack, Twin } from '../features/takedown/found-track.ts';
import type { TrackHolders } from '../features/takedown/track-references.ts';
import type { UsageCounts } from '../features/usage/usage.ts';
import type { SentToClient } from '../features/webhooks/store/delivery-store.ts';
import { clientNames } from './named.ts';

const MAX_HISTORY = 100;
const MAX_TWINS = 100;
/** The changes whose messages to webhooks are read. */
const MAX_CHANGES_WITH_MESSAGES = 20;

/** The events of a change of the state of a track. */
const STATE_EVENTS: readonly TrackEvent[] = ['track.taken_down', 'track.restored'];

interface ClientUse extends UsageCounts {
  clientId: string;
  clientName: string | null;
  mode: string;
  /** As 2026-11-21. */
  firstDay: string;
  lastDay: string;
}

interface ClientMedia extends MediaUse {
  clientName: string | null;
}

export interface TrackReport {
  track: FoundTrack;
  history: ExplainedChange[];
  /** The messages to webhooks about the latest takedowns and restorations. */
  told: (SentToClient & { change: ExplainedChange })[];
  /** The media that Stave has sent, the latest first. */
  sent: ClientMedia[];
  /** The use that clients have reported. */
  usage: ClientUse[];
  holders: TrackHolders;
  /** Other tracks that seem to be the same recording, and whether there are more. */
  twins: Twin[];
  hasMoreTwins: boolean;
}

/**
 * Reads what happened to a track, who holds it, who got messages about it and who heard it.
 *
 * @param days the days of reported use, as numbers since the epoch; sent media are counted for whole months
 */
export async function reportOf(
  store: Store,
  track: FoundTrack,
  days: { from: number; to: number },
): Promise<TrackReport> {
  const names = new Map((await store.clients.all()).map(({ id, name }) => [id, name]));
  const history = await store.changes.latest(MAX_HISTORY, { entity: 'track', entityId: track.id });
  return {
    track,
    history,
    told: await messagesOf(store, track.id, history),
    sent: await sentOf(store, { trackId: track.id, days, names }),
    usage: await usageOf(store, { trackId: track.id, days, names }),
    holders: await store.references.holdersOf([track.rowId]),
    ...(await store.trackFinder.twinsOf([track.rowId], MAX_TWINS)),
  };
}

async function messagesOf(
  { webhookDeliveries }: Store,
  trackId: string,
  history: readonly ExplainedChange[],
): Promise<TrackReport['told']> {
  const messages: TrackReport['told'] = [];
  const changes = history
    .filter((change) => STATE_EVENTS.includes(trackEventOf(change)))
    .slice(0, MAX_CHANGES_WITH_MESSAGES);
  for (const change of changes) {
    const { seq, at } = change;
    const type = trackEventOf(change);
    const sent = await webhookDeliveries.ofTrackChange({ trackId, seq, at, type });
    messages.push(...sent.map((one) => ({ ...one, change })));
  }
  return messages;
}

interface UseQuery {
  trackId: string;
  days: { from: number; to: number };
  /** The names of clients, by id. */
  names: ReadonlyMap<string, string>;
}

async function sentOf(
  { mediaRequests }: Store,
  { trackId, days, names }: UseQuery,
): Promise<ClientMedia[]> {
  const times = { from: days.from * DAY_MS, to: (days.to + 1) * DAY_MS - 1 };
  const sent = await mediaRequests.ofTrack(trackId, times);
  return sent.map((one) => ({ ...one, clientName: names.get(one.clientId) ?? null }));
}

async function usageOf(
  { usageRecords, usage }: Store,
  { trackId, days: { from, to }, names }: UseQuery,
): Promise<ClientUse[]> {
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

export interface NamedChange extends ExplainedChange {
  /** The slug or the name of the changed object; null if that has none, or no longer exists. */
  name: string | null;
  /** Of the client that made the change, or whose seat did; null if none did, or it no longer exists. */
  clientName: string | null;
  /** Of the seat that made the change; null if none did. */
  seatName: string | null;
}

/** The newest first. */
export async function latestChanges(
  store: Store,
  limit: number,
  filter: ChangeFilter,
): Promise<NamedChange[]> {
  const found = await store.changes.latest(limit, filter);
  const seats = await seatsIn(store, found);
  const names = await namesOf(store, found);
  const clients = await clientNames(store);
  return found.map((change) => {
    const seat = seats.get(seatOf(change) ?? '');
    const clientId = change.clientId ?? seat?.clientId ?? null;
    return {
      ...change,
      name: names.get(change.entityId) ?? seats.get(change.entityId)?.name ?? null,
      clientName: clientId && clients.of(clientId),
      seatName: seat?.name ?? null,
    };
  });
}

/** Returns who made a change: the actor, and the names of a seat and of a client beside the id. */
export function actorForPeople({ by, seatName, clientName }: NamedChange): string {
  const names = [seatName, clientName].filter((name) => name !== null);
  return names.length === 0 ? by : `${by} (${names.join(' at ')})`;
}

interface NamedSeat {
  name: string;
  /** Undefined for a removed seat. */
  clientId?: string;
}

/** The id of the seat that made a change. */
function seatOf({ by }: ExplainedChange): string | undefined {
  return by.startsWith('seat:') ? by.slice('seat:'.length) : undefined;
}

/** Returns the seats that changes are about, or that made them, by id. The log has the names of removed ones. */
async function seatsIn(
  store: Store,
  changes: readonly ExplainedChange[],
): Promise<Map<string, NamedSeat>> {
  const ids = new Set<string>();
  for (const change of changes) {
    const by = seatOf(change);
    if (by !== undefined) ids.add(by);
    if (change.entity === 'seat') ids.add(change.entityId);
  }
  const seats = new Map<string, NamedSeat>();
  if (ids.size === 0) return seats;
  for (const { id, ...seat } of await store.seats.names()) seats.set(id, seat);
  for (const id of ids) {
    if (seats.has(id)) continue;
    const removal = { entity: 'seat', entityId: id, kind: 'deleted' } as const;
    const [name] = (await store.changes.latest(1, removal))[0]?.changed ?? [];
    if (name !== undefined) seats.set(id, { name });
  }
  return seats;
}

/** Returns the names of the changed objects that still exist: slugs, and names of clients. */
async function namesOf(
  store: Store,
  changes: readonly ExplainedChange[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const { entity, entityId } of changes) {
    if (names.has(entityId)) continue;
    const name =
      entity === 'track'
        ? (await store.catalog.trackRecord(entityId))?.track.slug
        : entity === 'playlist'
          ? (await store.playlists.find(entityId))?.slug
          : entity === 'client'
            ? (await store.clients.get(entityId))?.name
            : undefined;
    if (name !== undefined) names.set(entityId, name);
  }
  return names;
}
