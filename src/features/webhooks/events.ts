import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Change,
  type ChangeEntity,
  TRACK_EVENT_TYPES,
  trackEventOf,
} from '../../engines/change-log/change-log.ts';
import type { Outbox } from './outbox.ts';
import type { TrackReference } from './store/fan-out-references.ts';
import type { FanOutStore } from './store/fan-out-store.ts';
import type { Subscriber } from './subscriber.ts';
import type { EventType } from './webhook.ts';

interface EventContext {
  store: FanOutStore;
  subscribers: readonly Subscriber[];
  outbox: Outbox;
}

/** Adds the events of the changes to the outbox. */
type EventSource = (changes: readonly Change[], context: EventContext) => Promise<void>;

/**
 * The entities whose changes in the log become events. The events of saved searches come from the index instead
 * (saved-search-matches.ts).
 */
export const EVENT_SOURCES: Partial<Record<ChangeEntity, EventSource>> = {
  track: trackEvents,
  playlist: playlistEvents,
  collection: collectionEvents,
  license: licenseEvents,
};

/** After so many events, other work gets a turn. */
const ADDED_AT_ONCE = 1_000;

/** The most tracks of a license that a message names. */
const MAX_TRACK_IDS = 50;

const UNREFERENCED = { playlists: 0, collections: 0, licenses: 0 };
/** The members of an event that is only counted. */
const NOT_SENT = {};

async function trackEvents(changes: readonly Change[], context: EventContext): Promise<void> {
  const { store, subscribers, outbox } = context;
  const interested = new Map(
    TRACK_EVENT_TYPES.map((type) => [type, subscribers.filter(({ chains }) => chains.has(type))]),
  );
  const interestedIn = (change: Change) => interested.get(trackEventOf(change)) ?? [];
  const shown = changes.filter((change) =>
    interestedIn(change).some(
      (one) => one.referencedOnly || !outbox.isFull(one, trackEventOf(change)),
    ),
  );
  const ids = [...new Set(shown.map(({ entityId }) => entityId))];
  const references = Map.groupBy(await store.references(ids), ({ trackId }) => trackId);
  let added = 0;
  for (const change of changes) {
    const type = trackEventOf(change);
    const known = references.get(change.entityId) ?? [];
    // Most tracks are in no list, and have the same item for all endpoints.
    const common = known.length === 0 ? itemOf(change, UNREFERENCED) : undefined;
    for (const subscriber of interestedIn(change)) {
      if (++added % ADDED_AT_ONCE === 0) await nextTurn();
      const own = common === undefined ? referencesOf(subscriber, known) : UNREFERENCED;
      if (isLeftOut(subscriber, change, own)) continue;
      const isSent = !outbox.isFull(subscriber, type);
      const members = isSent ? (common ?? itemOf(change, own)) : NOT_SENT;
      outbox.add({ subscriber, type, change, members });
    }
  }
  await collectionTrackEvents(changes, context);
}

/** Whether the endpoint gets only the tracks to which its client refers, and the client does not refer to this one. */
function isLeftOut(
  { referencedOnly }: Subscriber,
  { kind }: Change,
  { playlists, collections, licenses }: ReturnType<typeof referencesOf>,
): boolean {
  // Nothing refers to a removed track any more, so every client may have referred to it.
  const isReferenced = playlists + collections + licenses > 0;
  return referencedOnly && !['created', 'removed'].includes(kind) && !isReferenced;
}

function referencesOf({ clientId, mode }: Subscriber, references: readonly TrackReference[]) {
  const count = (kind: TrackReference['kind']) =>
    references.find(
      (one) =>
        one.kind === kind && one.clientId === clientId && (one.mode === null || one.mode === mode),
    )?.count ?? 0;
  return {
    playlists: count('playlists'),
    collections: count('collections'),
    licenses: count('licenses'),
  };
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
  const recipientsOf = await namedRecipients(changes, store);
  for (const change of changes) {
    const { entityId: collectionId, kind, clientId, mode } = change;
    const known = collections.get(collectionId);
    // A reader cannot see whom else a collection is shared with.
    const readers = isOfShare(change)
      ? [known?.ownerId ?? clientId]
      : (known?.clientIds ?? [clientId]);
    const recipients = [...readers, ...recipientsOf(change)];
    for (const subscriber of subscribers) {
      if (subscriber.mode !== (known?.mode ?? mode)) continue;
      if (!recipients.includes(subscriber.clientId)) continue;
      const type = 'collection.updated';
      const members = { collectionId, change: kind, version: known?.version ?? null };
      outbox.add({ subscriber, type, subject: collectionId, change, members });
    }
  }
}

/**
 * Returns a function that returns the clients that a change of a collection names, besides those that can read it now.
 * A change of shares names only clients in the account of the owner, because other shares have no effect.
 */
async function namedRecipients(
  changes: readonly Change[],
  store: FanOutStore,
): Promise<(change: Change) => readonly string[]> {
  const named = changes
    .filter(isOfShare)
    .flatMap(({ clientId, changed }) => [clientId!, ...(changed ?? [])]);
  const accounts = await store.accounts([...new Set(named)]);
  return (change) => {
    const recipients = change.changed ?? [];
    const owner = change.clientId!;
    // An owner that was deleted since then has no account to compare.
    if (!isOfShare(change) || !accounts.has(owner)) return recipients;
    const account = accounts.get(owner) ?? null;
    return recipients.filter((id) => account !== null && accounts.get(id) === account);
  };
}

function isOfShare({ kind }: Change): boolean {
  return kind === 'shared' || kind === 'unshared';
}

/** Adds the events of licenses that clients bought through the API. Imported licenses make no events. */
async function licenseEvents(
  changes: readonly Change[],
  { store, subscribers, outbox }: EventContext,
): Promise<void> {
  const sold = changes.filter(({ clientId }) => clientId !== null);
  const licenses = await store.licenses([...new Set(sold.map(({ entityId }) => entityId))]);
  for (const change of sold) {
    const license = licenses.get(change.entityId);
    if (license === undefined) continue;
    const type = change.kind === 'removed' ? 'license.revoked' : 'license.issued';
    const issued = license.isScheduled ? 'scheduled' : 'active';
    const members = {
      number: license.number,
      status: change.kind === 'removed' ? 'revoked' : issued,
      trackIds: license.trackIds.slice(0, MAX_TRACK_IDS),
      count: license.trackIds.length,
    };
    for (const subscriber of subscribers) {
      if (subscriber.clientId !== change.clientId || subscriber.mode !== change.mode) continue;
      outbox.add({ subscriber, type, change, members });
    }
  }
}

/** Adds the events of collections whose tracks were taken down or restored. */
async function collectionTrackEvents(
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
  const byClient = Map.groupBy(interested, ({ clientId, mode }) => `${clientId} ${mode}`);
  const readers = new Map(
    [...collections].map(([id, { clientIds, mode }]) => [
      id,
      clientIds.flatMap((clientId) => byClient.get(`${clientId} ${mode}`) ?? []),
    ]),
  );
  let count = 0;
  for (const change of found) {
    const kind = change.kind === 'restored' ? 'restored' : 'taken_down';
    for (const collectionId of listing.get(change.entityId) ?? []) {
      if (++count % ADDED_AT_ONCE === 0) await nextTurn();
      const known = collections.get(collectionId);
      if (known === undefined) continue;
      const members = { collectionId, change: kind, version: known.version };
      for (const subscriber of readers.get(collectionId) ?? []) {
        const type = 'collection.updated';
        outbox.add({ subscriber, type, subject: collectionId, change, members });
        if (++count % ADDED_AT_ONCE === 0) await nextTurn();
      }
    }
  }
}
