import type { OpenCounts } from '../../../common/memory/open-counts.ts';
import type { Route } from '../../../engines/http/route/route.ts';
import type { ClientRegistry } from '../../access/registry.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { CatalogStore } from '../../catalog/store/catalog-store.ts';
import { fixtureOf } from '../../catalog/track-document.ts';
import { DrawingThread, generatedArtwork } from '../artwork/artwork.ts';
import { archiveRoute } from './archive-route.ts';
import { artworkRoute } from './artwork-route.ts';
import { SignedMedia, type SignedMediaDependencies } from './signed-media.ts';
import { partRoute, type StreamSources, streamRoute } from './stream-routes.ts';

/** Space for about two thousand generated pictures. */
const ARTWORK_CACHE_BYTES = 24 * 1024 * 1024;

interface MediaDependencies
  extends Omit<SignedMediaDependencies, 'catalog' | 'acceptsUrl'>,
    StreamSources {
  audio: SignedMediaDependencies['catalog'];
  catalog: Pick<LiveCatalog, 'locate'>;
  registry: Pick<ClientRegistry, 'acceptsUrl'>;
  openCounts: OpenCounts;
  store: {
    playlists: { find(id: string): Promise<object | undefined> };
    catalog: Pick<CatalogStore, 'artworkForbidsTraining'>;
  };
}

/**
 * Returns the operations on audio and artwork (docs/contract/streaming.md).
 * @param renditionRoutes returns the operations on renditions, which follow the first one
 */
export function mediaRoutes(
  deps: MediaDependencies,
  renditionRoutes: (signed: SignedMedia) => Route[],
): Route[] {
  const { audio, catalog, log, media, openCounts, registry, store } = deps;
  const signed = new SignedMedia({
    ...deps,
    catalog: audio,
    acceptsUrl: (clientId, issuedAt) => registry.acceptsUrl(clientId, issuedAt),
  });
  const drawing = new DrawingThread();
  return [
    streamRoute(signed, deps),
    ...renditionRoutes(signed),
    partRoute(signed),
    archiveRoute({ signed, open: openCounts }),
    artworkRoute({
      media,
      generated: generatedArtwork({
        maxBytes: ARTWORK_CACHE_BYTES,
        store: media,
        log,
        draw: (id) => drawing.draw(id),
      }),
      hasArtwork: async (id) =>
        catalog.locate([id], {})[0] !== undefined ||
        fixtureOf(id, 'test')?.state === 'live' ||
        (await store.playlists.find(id)) !== undefined,
      // Pictures are shown while the store is unavailable, too.
      forbidsTraining: (key) => store.catalog.artworkForbidsTraining(key).catch(() => false),
    }),
  ];
}
