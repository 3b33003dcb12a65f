import type { ClientRegistry } from '../../access/registry.ts';
import { fixtureOf } from '../../catalog/fixtures.ts';
import type { LiveCatalog } from '../../catalog/live-catalog.ts';
import type { PlaylistStore } from '../../catalog/playlist-store.ts';
import type { OpenCounts } from '../../common/open-counts.ts';
import type { Route } from '../../http/route.ts';
import { DrawingThread } from '../../media/artwork/drawing-thread.ts';
import { openGeneratedArtwork } from '../../media/artwork.ts';
import type { RenditionQueue } from '../../media/renditions/rendition-queue.ts';
import { archiveRoute } from './archive-route.ts';
import { artworkRoute } from './artwork-route.ts';
import { AwaitedRenditions } from './awaited-renditions.ts';
import { partRoute } from './part-route.ts';
import { previewRoute } from './preview-route.ts';
import { SignedMedia, type SignedMediaDependencies } from './signed-media.ts';
import { streamRoute } from './stream-route.ts';
import { waveformRoute } from './waveform-route.ts';

/** Space for about two thousand generated pictures. */
const ARTWORK_CACHE_BYTES = 24 * 1024 * 1024;

/** What the operations on audio and artwork need. */
interface MediaDependencies extends Omit<SignedMediaDependencies, 'catalog' | 'acceptsUrl'> {
  /** The states of tracks and their parts, and the keys of their media. */
  audio: SignedMediaDependencies['catalog'];
  catalog: Pick<LiveCatalog, 'locate'>;
  registry: Pick<ClientRegistry, 'acceptsUrl'>;
  renditions: Pick<RenditionQueue, 'find' | 'ensure'>;
  openCounts: OpenCounts;
  store: {
    playlists: Pick<PlaylistStore, 'find'>;
  };
}

/** Returns the operations on audio and artwork (docs/contract/streaming.md, docs/contract/previews.md). */
export function mediaRoutes(deps: MediaDependencies): Route[] {
  const { audio, catalog, log, media, openCounts, registry, renditions, store } = deps;
  const signed = new SignedMedia({
    ...deps,
    catalog: audio,
    acceptsUrl: (clientId, issuedAt) => registry.acceptsUrl(clientId, issuedAt),
  });
  const awaited = new AwaitedRenditions({ renditions, open: openCounts, signed });
  const drawing = new DrawingThread();
  return [
    streamRoute(signed),
    previewRoute(signed, awaited),
    waveformRoute(signed, awaited),
    partRoute(signed),
    archiveRoute({ signed, open: openCounts }),
    artworkRoute({
      media,
      generated: openGeneratedArtwork({
        maxBytes: ARTWORK_CACHE_BYTES,
        store: media,
        log,
        draw: (id) => drawing.draw(id),
      }),
      hasArtwork: async (id) =>
        catalog.locate([id], {})[0] !== undefined ||
        fixtureOf(id, 'test')?.state === 'live' ||
        (await store.playlists.find(id)) !== undefined,
    }),
  ];
}
