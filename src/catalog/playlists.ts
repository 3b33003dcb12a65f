import type { Client } from '../access/client.ts';
import type { Actor } from '../kernel/actor.ts';
import type { Clock } from '../kernel/clock.ts';
import { StaveError } from '../kernel/errors.ts';
import { newId } from '../kernel/ids.ts';
import type { Playlist, PlaylistWithTracks } from './playlist.ts';
import type { CatalogStore, PlaylistStore } from './store.ts';

/** What the playlist services work with; an open house is one. */
export interface PlaylistDesk {
  store: {
    catalog: Pick<CatalogStore, 'resolveTrack'>;
    playlists: PlaylistStore;
    clients: { get(id: string): Promise<Client | undefined> };
  };
  clock: Clock;
  by: Actor;
}

/** Where a playlist's tracks go. Tracks are named by slug or id throughout. */
export type NewOrder =
  | { tracks: readonly string[] }
  | { track: string /** From 1. */; position: number };

/** Creates a playlist; throws not_found naming every unknown track, conflict for repeated ones. */
export async function createPlaylist(
  desk: PlaylistDesk,
  request: { name: string; description?: string; tracks: readonly string[] },
): Promise<Playlist> {
  const name = givenName(request.name);
  const description = givenDescription(request.description ?? '');
  const trackIds = await resolveTracks(desk, request.tracks);
  const now = desk.clock.now();
  return desk.store.playlists.create(
    { id: newId(), name, description, createdAt: now, updatedAt: now },
    trackIds,
    desk.by,
  );
}

/** Changes name or description; the slug stays. */
export async function updatePlaylist(
  desk: PlaylistDesk,
  playlist: string,
  change: { name?: string; description?: string },
): Promise<Playlist> {
  const { id } = await findPlaylist(desk, playlist);
  return desk.store.playlists.update(
    id,
    {
      ...(change.name === undefined ? {} : { name: givenName(change.name) }),
      ...(change.description === undefined
        ? {}
        : { description: givenDescription(change.description) }),
    },
    desk.by,
  );
}

/** Deletes the playlist and its grants; its tracks stay in the catalog. */
export async function deletePlaylist(desk: PlaylistDesk, playlist: string): Promise<Playlist> {
  const found = await findPlaylist(desk, playlist);
  await desk.store.playlists.delete(found.id, desk.by);
  return found;
}

/** Puts tracks in, at the end or so that the first one comes to stand at `position` (from 1). */
export async function addTracks(
  desk: PlaylistDesk,
  playlist: string,
  tracks: readonly string[],
  position?: number,
): Promise<PlaylistWithTracks> {
  const added = await resolveTracks(desk, tracks);
  return editTracks(desk, playlist, (present) => {
    refuse(
      tracks.filter((_, i) => present.includes(added[i]!)),
      'is already in the playlist',
      'are already in the playlist',
    );
    const at = position === undefined ? present.length : place(position, present.length + 1);
    return present.toSpliced(at, 0, ...added);
  });
}

/** Takes tracks out; all must be in it. */
export async function removeTracks(
  desk: PlaylistDesk,
  playlist: string,
  tracks: readonly string[],
): Promise<PlaylistWithTracks> {
  const removed = await resolveTracks(desk, tracks);
  return editTracks(desk, playlist, (present) => {
    refuse(
      tracks.filter((_, i) => !present.includes(removed[i]!)),
      'is not in the playlist',
      'are not in the playlist',
    );
    return present.filter((id) => !removed.includes(id));
  });
}

/** Moves one track, or sets the whole order: then every track of the playlist is named, once. */
export async function reorderTracks(
  desk: PlaylistDesk,
  playlist: string,
  order: NewOrder,
): Promise<PlaylistWithTracks> {
  const named = 'tracks' in order ? order.tracks : [order.track];
  const ids = await resolveTracks(desk, named);
  return editTracks(desk, playlist, (present) => {
    refuse(
      named.filter((_, i) => !present.includes(ids[i]!)),
      'is not in the playlist',
      'are not in the playlist',
    );
    if ('position' in order) {
      const others = present.filter((id) => id !== ids[0]);
      return others.toSpliced(place(order.position, present.length), 0, ids[0]!);
    }
    if (ids.length < present.length) {
      throw new StaveError(
        'conflict',
        `The new order names ${ids.length} of the playlist's ${present.length} tracks; name every one.`,
      );
    }
    return ids;
  });
}

/** Lets a client see the playlist; false when it did already. */
export async function grantPlaylist(
  desk: PlaylistDesk,
  playlist: string,
  clientId: string,
): Promise<{ playlist: Playlist; changed: boolean }> {
  const found = await findPlaylist(desk, playlist);
  await knownClient(desk, clientId);
  return {
    playlist: found,
    changed: await desk.store.playlists.grant(found.id, clientId, desk.by),
  };
}

/** Ends a grant; false when there was none. */
export async function revokePlaylist(
  desk: PlaylistDesk,
  playlist: string,
  clientId: string,
): Promise<{ playlist: Playlist; changed: boolean }> {
  const found = await findPlaylist(desk, playlist);
  await knownClient(desk, clientId);
  return {
    playlist: found,
    changed: await desk.store.playlists.revoke(found.id, clientId, desk.by),
  };
}

/** By slug or id; throws not_found. */
export async function findPlaylist(
  { store }: Pick<PlaylistDesk, 'store'>,
  playlist: string,
): Promise<PlaylistWithTracks> {
  const found = await store.playlists.find(playlist);
  if (found === undefined) {
    throw new StaveError('not_found', `There is no playlist ${playlist}.`);
  }
  return found;
}

async function editTracks(
  desk: PlaylistDesk,
  playlist: string,
  edit: (present: readonly string[]) => string[],
): Promise<PlaylistWithTracks> {
  for (;;) {
    const { id, trackIds } = await findPlaylist(desk, playlist);
    // Another edit may come in between: then this one is made again, on what that left.
    if (await desk.store.playlists.setTracks(id, edit(trackIds), desk.by, trackIds)) {
      return findPlaylist(desk, id);
    }
  }
}

/** The ids behind slugs or ids, in order. Taken-down tracks count: they keep their place (decisions §5). */
async function resolveTracks(desk: PlaylistDesk, tracks: readonly string[]): Promise<string[]> {
  const ids = await Promise.all(tracks.map((track) => desk.store.catalog.resolveTrack(track)));
  const unknown = tracks.filter((_, i) => ids[i] === undefined);
  if (unknown.length > 0) {
    throw new StaveError(
      'not_found',
      `${unknown.length === 1 ? 'There is no track' : 'There are no tracks'} ${unknown.join(', ')}.`,
    );
  }
  refuse(
    tracks.filter((_, i) => ids.indexOf(ids[i]) !== i),
    'is named twice',
    'are named twice',
  );
  return ids as string[];
}

async function knownClient({ store }: PlaylistDesk, clientId: string): Promise<void> {
  if ((await store.clients.get(clientId)) === undefined) {
    throw new StaveError('not_found', `There is no client ${clientId}.`);
  }
}

function refuse(tracks: readonly string[], one: string, several: string): void {
  if (tracks.length > 0) {
    throw new StaveError(
      'conflict',
      `${tracks.join(', ')} ${tracks.length === 1 ? one : several}.`,
    );
  }
}

function givenName(name: string): string {
  const trimmed = name.normalize('NFC').trim();
  if (trimmed === '' || trimmed.length > 200) {
    throw new StaveError('invalid_request', 'A playlist needs a name of 1 to 200 characters.');
  }
  return trimmed;
}

function givenDescription(description: string): string {
  const trimmed = description.normalize('NFC').trim();
  if (trimmed.length > 2000) {
    throw new StaveError('invalid_request', 'A description has 2,000 characters at most.');
  }
  return trimmed;
}

/** The index for a position from 1; one past the end is allowed for by the caller's `count`. */
function place(position: number, count: number): number {
  if (!Number.isSafeInteger(position) || position < 1 || position > count) {
    throw new StaveError('invalid_request', `The position must be from 1 to ${count}.`);
  }
  return position - 1;
}
