import type { Actor } from '../../common/caller.ts';
import type { Clock } from '../../common/clock.ts';
import { StaveError } from '../../common/errors.ts';
import { newId } from '../../common/ids.ts';
import { didYouMean } from '../../common/text/explain.ts';
import { counted } from '../../common/text/shown.ts';
import type { CatalogStore } from '../catalog/store/catalog-store.ts';
import type { LanguageStore } from '../languages/store/language-store.ts';
import { unknownPlaylist } from '../languages/translations.ts';
import type { Playlist, PlaylistWithTracks } from './playlist.ts';
import type { PlaylistStore } from './store/playlist-store.ts';

/** An `AppContext` has them. */
export interface PlaylistDependencies {
  store: {
    catalog: Pick<CatalogStore, 'resolveTracks'>;
    trackFinder: { slugsNear(slug: string): Promise<string[]> };
    playlists: PlaylistStore;
  };
  clock: Clock;
  by: Actor;
}

/** A new order of the tracks of a playlist. Tracks are given by slug or id. */
export type NewOrder =
  | { tracks: readonly string[] }
  | { track: string /** From 1. */; position: number };

/** Creates a playlist. Throws not_found with every unknown track, and conflict with every repeated one. */
export async function createPlaylist(
  deps: PlaylistDependencies,
  request: { name: string; description?: string; tracks: readonly string[] },
): Promise<Playlist> {
  const name = givenName(request.name);
  const description = givenDescription(request.description ?? '');
  const trackIds = await resolveTracks(deps, request.tracks);
  const now = deps.clock.now();
  return deps.store.playlists.create(
    { id: newId(), name, description, createdAt: now, updatedAt: now },
    trackIds,
    deps.by,
  );
}

/** Changes the name or the description. The slug stays the same. */
export async function updatePlaylist(
  deps: PlaylistDependencies,
  playlist: string,
  change: { name?: string; description?: string },
): Promise<Playlist> {
  const { id } = await findPlaylist(deps, playlist);
  return deps.store.playlists.update(
    id,
    {
      ...(change.name === undefined ? {} : { name: givenName(change.name) }),
      ...(change.description === undefined
        ? {}
        : { description: givenDescription(change.description) }),
    },
    deps.by,
  );
}

/**
 * Sets the name and the description of a playlist in another language, or removes both. A null description shows the
 * original. Returns the playlist, and whether that changes anything.
 */
export async function translatePlaylist(
  deps: PlaylistDependencies & { store: { languages: Pick<LanguageStore, 'translatePlaylist'> } },
  playlist: string,
  language: string,
  given: { name: string; description: string | null } | null,
): Promise<{ playlist: Playlist; changed: boolean }> {
  const text = given && {
    name: givenName(given.name),
    description: given.description === null ? null : givenDescription(given.description),
  };
  const found = await findPlaylist(deps, playlist);
  const { languages } = deps.store;
  const changed = await languages.translatePlaylist(found.id, language, text, deps.by);
  return { playlist: found, changed };
}

/** Deletes the playlist and its grants; its tracks stay in the catalog. */
export async function deletePlaylist(
  deps: PlaylistDependencies,
  playlist: string,
): Promise<Playlist> {
  const found = await findPlaylist(deps, playlist);
  await deps.store.playlists.delete(found.id, deps.by);
  return found;
}

/** Adds tracks at the end, or so that the first gets the position, from 1. */
export async function addTracks(
  deps: PlaylistDependencies,
  playlist: string,
  tracks: readonly string[],
  position?: number,
): Promise<PlaylistWithTracks> {
  const added = await resolveTracks(deps, tracks);
  return editTracks(deps, playlist, (present) => {
    refuse(
      tracks.filter((_, i) => present.includes(added[i]!)),
      'already in the playlist',
    );
    const at = position === undefined ? present.length : place(position, present.length + 1);
    return present.toSpliced(at, 0, ...added);
  });
}

/** Removes tracks. All of them must be in the playlist. */
export async function removeTracks(
  deps: PlaylistDependencies,
  playlist: string,
  tracks: readonly string[],
): Promise<PlaylistWithTracks> {
  const removed = await resolveTracks(deps, tracks);
  return editTracks(deps, playlist, (present) => {
    refuse(
      tracks.filter((_, i) => !present.includes(removed[i]!)),
      'not in the playlist',
    );
    return present.filter((id) => !removed.includes(id));
  });
}

/** Moves one track, or sets the order of all tracks, which must then name every track of the playlist once. */
export async function reorderTracks(
  deps: PlaylistDependencies,
  playlist: string,
  order: NewOrder,
): Promise<PlaylistWithTracks> {
  const named = 'tracks' in order ? order.tracks : [order.track];
  const ids = await resolveTracks(deps, named);
  return editTracks(deps, playlist, (present) => {
    refuse(
      named.filter((_, i) => !present.includes(ids[i]!)),
      'not in the playlist',
    );
    if ('position' in order) {
      const others = present.filter((id) => id !== ids[0]);
      return others.toSpliced(place(order.position, present.length), 0, ids[0]!);
    }
    if (ids.length < present.length) {
      throw new StaveError(
        'conflict',
        `The new order names ${ids.length} of the playlist's ${counted(present.length, 'track')}; name every one.`,
      );
    }
    return ids;
  });
}

/** Grants the playlist to a client, or ends the grant. Returns whether that changes anything. */
export async function changeGrant(
  deps: PlaylistDependencies,
  change: 'grant' | 'revoke',
  playlist: string,
  clientId: string,
): Promise<{ playlist: Playlist; changed: boolean }> {
  const found = await findPlaylist(deps, playlist);
  const changed = await deps.store.playlists[change](found.id, clientId, deps.by);
  return { playlist: found, changed };
}

/** Finds a playlist by slug or id. Throws not_found. */
export async function findPlaylist(
  { store }: Pick<PlaylistDependencies, 'store'>,
  playlist: string,
): Promise<PlaylistWithTracks> {
  const found = await store.playlists.find(playlist);
  if (found === undefined) {
    const all = await store.playlists.names();
    throw unknownPlaylist(
      playlist,
      all.map(({ slug }) => slug),
    );
  }
  return found;
}

async function editTracks(
  deps: PlaylistDependencies,
  playlist: string,
  edit: (present: readonly string[]) => string[],
): Promise<PlaylistWithTracks> {
  for (;;) {
    const { id, trackIds } = await findPlaylist(deps, playlist);
    // If another edit was made in between, this one is repeated on the new list.
    if (await deps.store.playlists.setTracks(id, edit(trackIds), deps.by, trackIds)) {
      return findPlaylist(deps, id);
    }
  }
}

/**
 * Returns the ids of tracks that are given by slug or id, in order. Tracks that were taken down are included, because
 * they keep their position (docs/contract/tracks.md#takedown).
 */
async function resolveTracks(
  deps: PlaylistDependencies,
  tracks: readonly string[],
): Promise<string[]> {
  const ids = await deps.store.catalog.resolveTracks(tracks);
  const unknown = tracks.filter((_, i) => ids[i] === undefined);
  if (unknown.length > 0) {
    const none = unknown.length === 1 ? 'There is no track' : 'There are no tracks';
    const near = unknown.length === 1 ? await deps.store.trackFinder.slugsNear(unknown[0]!) : [];
    const hint = didYouMean(unknown[0]!, near);
    throw new StaveError('not_found', `${none} ${unknown.join(', ')}${hint}.`);
  }
  refuse(
    tracks.filter((_, i) => ids.indexOf(ids[i]) !== i),
    'named twice',
  );
  return ids as string[];
}

function refuse(tracks: readonly string[], what: string): void {
  if (tracks.length > 0) {
    const verb = tracks.length === 1 ? 'is' : 'are';
    throw new StaveError('conflict', `${tracks.join(', ')} ${verb} ${what}.`);
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

/** Returns the array index of a position, which must be from 1 to `count`. */
function place(position: number, count: number): number {
  if (!Number.isSafeInteger(position) || position < 1 || position > count) {
    throw new StaveError('invalid_request', `The position must be from 1 to ${count}.`);
  }
  return position - 1;
}
