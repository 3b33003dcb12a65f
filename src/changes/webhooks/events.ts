import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Change, ChangeEntity } from '../change-log.ts';
import type { FanOutStore, Subscriber, TrackReference } from './fan-out-store.ts';
import type { Outbox } from './outbox.ts';
import type { EventType } from './webhook.ts';

/** What makes events of changes needs. */
interface EventContext {
  store: FanOutStore;
  subscribers: readonly Subscriber[];
  outbox: Outbox;
}

/** Adds the events of changes of one entity to the outbox. */
type EventSource = (changes: readonly Change[], context: EventContext) => Promise<void>;

/**
 * The entities whose changes become events. Saved searches follow the index (saved-search-matches.ts), and licenses have
 * no events yet.
 */
export const EVENT_SOURCES: Partial<Record<ChangeEntity, EventSource>> = {
  track: trackEvents,
  playlist: playlistEvents,
  collection: collectionEvents,
};

/** The events that are added before other work gets a turn. */
const ADDED_AT_ONCE = 1_000;

/** The references to a track that is in no list. */
const UNREFERENCED = { playlists: 0, collections: 0, licenses: 0 };
/** The members of an event that is only counted. */
const NOT_SENT = {};

const TRACK_TYPES: Readonly<Record<string, EventType>> = {
  created: 'track.created',
  updated: 'track.updated',
  taken_down: 'track.taken_down',
  withdrawn: 'track.taken_down',
  removed: 'track.taken_down',
  restored: 'track.restored',
};

async function trackEvents(changes: readonly Change[], context: EventContext): Promise<void> {
  const { store, subscribers, outbox } = context;
  const interested = new Map(
    [...new Set(Object.values(TRACK_TYPES))].map((type) => [
      type,
      subscribers.filter(({ chains }) => chains.has(type)),
    ]),
  );
  const of = ({ kind }: Change) => interested.get(TRACK_TYPES[kind]!) ?? [];
  const shown = changes.filter((change) =>
    of(change).some((one) => needsContent(one, TRACK_TYPES[change.kind]!, outbox)),
  );
  const ids = [...new Set(shown.map(({ entityId }) => entityId))];
  const references = Map.groupBy(await store.references(ids), ({ trackId }) => trackId);
  let added = 0;
  for (const change of changes) {
    const type = TRACK_TYPES[change.kind]!;
    const known = references.get(change.entityId) ?? [];
    // Most tracks are in no list, and have the same item for all endpoints.
    const common = known.length === 0 ? itemOf(change, UNREFERENCED) : undefined;
    for (const subscriber of of(change)) {
      if (++added % ADDED_AT_ONCE === 0) await nextTurn();
      const own = common === undefined ? referencesOf(subscriber, known) : UNREFERENCED;
      if (isLeftOut(subscriber, change, own)) continue;
      const isSent = !outbox.isFull(subscriber, type);
      const members = isSent ? (common ?? itemOf(change, own)) : NOT_SENT;
      outbox.add({ subscriber, type, change, members });
    }
  }
  await listedTrackEvents(changes, context);
}

function needsContent(subscriber: Subscriber, type: EventType, outbox: Outbox): boolean {
  return subscriber.referencedOnly || !outbox.isFull(subscriber, type);
}

/** Whether the endpoint gets only what its client refers to, and this is not. */
function isLeftOut(
  { referencedOnly }: Subscriber,
  { kind }: Change,
  { playlists, collections }: ReturnType<typeof referencesOf>,
): boolean {
  // Nothing refers to a removed track any more, so whoever may have referred to it is told.
  return referencedOnly && !['created', 'removed'].includes(kind) && playlists + collections === 0;
}

function referencesOf({ clientId, mode }: Subscriber, references: readonly TrackReference[]) {
  const count = (kind: TrackReference['kind']) =>
    references.find(
      (one) =>
        one.kind === kind && one.clientId === clientId && (one.mode === null || one.mode === mode),
    )?.count ?? 0;
  return { playlists: count('playlists'), collections: count('collections'), licenses: 0 };
}

function itemOf({ seq, at, entityId, kind, changed }: Change, references: object): object {
  return {
    seq,
    trackId: entityId,
    version: seq,
    occurredAt: new Date(at).toISOString(),
    changedFields: kind === 'updated' ? changed : [],
    references,
  };
}

async function playlistEvents(
  changes: readonly Change[],
  { store, subscribers, outbox }: EventContext,
): Promise<void> {
  const updated = changes.filter(({ kind }) => kind === 'updated');
  const grants = await store.grants([...new Set(updated.map(({ entityId }) => entityId))]);
  for (const change of changes) {
    const { kind, entityId: playlistId } = change;
    if (kind === 'created') continue;
    const type = kind === 'deleted' ? 'playlist.revoked' : (`playlist.${kind}` as EventType);
    const clientIds = (kind === 'updated' ? grants.get(playlistId) : change.changed) ?? [];
    for (const subscriber of subscribers) {
      if (!clientIds.includes(subscriber.clientId)) continue;
      outbox.add({ subscriber, type, change, members: { playlistId } });
    }
  }
}

async function collectionEvents(
  changes: readonly Change[],
  { store, subscribers, outbox }: EventContext,
): Promise<void> {
  const collections = await store.collections([...new Set(changes.map((one) => one.entityId))]);
  for (const change of changes) {
    const { entityId: collectionId, kind, changed, clientId, mode } = change;
    const known = collections.get(collectionId);
    const readers = [...(known?.clientIds ?? [clientId]), ...(changed ?? [])];
    for (const subscriber of subscribers) {
      const isOf = subscriber.mode === (known?.mode ?? mode);
      if (!isOf || !readers.includes(subscriber.clientId)) continue;
      const members = { collectionId, change: kind, version: known?.version ?? null };
      outbox.add({
        subscriber,
        type: 'collection.updated',
        subject: collectionId,
        change,
        members,
      });
    }
  }
}

/** Adds the events of collections whose tracks were taken down or restored. */
async function listedTrackEvents(
  changes: readonly Change[],
  { store, subscribers, outbox }: EventContext,
): Promise<void> {
  const interested = subscribers.filter(({ chains }) => chains.has('collection.updated'));
  const found = changes.filter(({ kind }) =>
    ['taken_down', 'withdrawn', 'restored'].includes(kind),
  );
  if (interested.length === 0 || found.length === 0) return;
  const listing = await store.collectionsWith([...new Set(found.map((one) => one.entityId))]);
  const collections = await store.collections([...new Set([...listing.values()].flat())]);
  for (const change of found) {
    for (const collectionId of listing.get(change.entityId) ?? []) {
      const known = collections.get(collectionId);
      for (const subscriber of interested) {
        const isOf = subscriber.mode === known?.mode;
        if (!isOf || !known?.clientIds.includes(subscriber.clientId)) continue;
        const kind = change.kind === 'restored' ? 'restored' : 'taken_down';
        const members = { collectionId, change: kind, version: known.version };
        const type = 'collection.updated';
        outbox.add({ subscriber, type, subject: collectionId, change, members });
      }
    }
  }
}
