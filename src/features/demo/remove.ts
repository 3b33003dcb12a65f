import type { Actor } from '../../common/caller.ts';
import type { MediaStore } from '../../engines/blobs/media-store.ts';
import type { Store } from '../store.ts';
import type { DemoDependencies } from './make.ts';
import { DEMO_PLAYLISTS, withdrawRateCard } from './offer.ts';
import { clientsOfDemo, DEMO_SOURCE, DemoState } from './state.ts';

export interface DemoRemoval {
  tracks: number;
  playlists: number;
  clients: number;
  mediaFiles: number;
}

/**
 * Removes the demo permanently: its tracks (from all playlists, with their licenses, and with
 * artists and filters that only they have), its playlists, its clients, and the media files that no
 * other track refers to. Withdraws its rate card. Keeps a demo playlist that contains tracks of the
 * operator, with those tracks. Can be repeated, also after a kill.
 */
export async function removeDemo({
  store,
  media,
  by,
}: Pick<DemoDependencies, 'store' | 'media'> & { by: Actor }): Promise<DemoRemoval> {
  const state = new DemoState(store.settings);
  const removal: DemoRemoval = { tracks: 0, playlists: 0, clients: 0, mediaFiles: 0 };
  const progress = await state.progress();
  if (progress === 'removed') {
    return removal;
  }
  if (progress !== 'untouched') {
    await state.reached('removing');
    removal.tracks = await store.catalog.removeSource(DEMO_SOURCE, by);
    await withdrawRateCard(store.rateCards, by);
    for (const { id } of DEMO_PLAYLISTS) {
      const playlist = await store.playlists.find(id);
      if (playlist !== undefined && playlist.trackIds.length === 0) {
        await store.playlists.delete(id, by);
        removal.playlists++;
      }
    }
    for (const id of await clientsOfDemo(store)) {
      removal.clients += (await store.clients.delete(id, by)) ? 1 : 0;
    }
    removal.mediaFiles = await removeMedia(store, media, await withPreviews(store, state));
  }
  await state.forget();
  return removal;
}

/**
 * Removes the previews of the demo's audio, if no other track has that audio. Returns the keys of all files of the demo,
 * with those of the previews, which a repetition after a kill finds in the state.
 */
async function withPreviews(
  { renditions }: Pick<Store, 'renditions'>,
  state: DemoState,
): Promise<string[]> {
  const keys = await state.mediaKeys();
  const made = await Promise.all(keys.map((key) => renditions.ofAudio(key)));
  const all = [...keys, ...made.flat().flatMap(({ file }) => file?.mediaKey ?? [])];
  await state.setMediaKeys(all);
  await renditions.dropUnnamedOf(keys);
  return all;
}

async function removeMedia(
  store: Pick<Store, 'catalog'>,
  media: MediaStore,
  keys: readonly string[],
): Promise<number> {
  const unused = new Set(keys);
  for await (const slice of store.catalog.mediaKeys()) {
    for (const key of slice) {
      unused.delete(key);
    }
  }
  let removed = 0;
  for (const key of unused) {
    removed += (await media.remove(key)) ? 1 : 0;
  }
  return removed;
}
