import Type from 'typebox';
import { timestamp } from '../../../common/schema-types.ts';
import { API_VERSION } from '../../../common/version.ts';
import { asciiJson } from '../../../engines/http/response/envelope.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { pageMembers, pageOf, paginated } from '../../../engines/http/schemas.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import { languageMember } from '../../languages/routes/language.ts';
import type { TrackPages } from '../../tracks/routes/track-page.ts';
import { TrackSchema } from '../../tracks/routes/track-schemas.ts';
import type { CollectionTrackStore } from '../collection.ts';
import {
  COLLECTION_ACCESS,
  collectionParams,
  longText,
  positionMember,
} from './collection-schema.ts';

const PlacedTrackSchema = Type.Object(
  {
    position: positionMember,
    note: longText('The note of the owner.', 'for the opening'),
    addedAt: timestamp({ examples: ['2026-11-20T16:05:12.345Z'] }),
    track: TrackSchema,
  },
  { title: 'PlacedTrack' },
);

/** GET /v1/collections/{id}/tracks (docs/contract/collections.md#reads). */
export function listCollectionTracks({
  collectionTracks,
  catalog,
  pages,
}: {
  collectionTracks: Pick<CollectionTrackStore, 'trackIds' | 'items'>;
  catalog: Pick<LiveCatalog, 'locate'>;
  pages: Pick<TrackPages, 'page'>;
}): Route {
  return route({
    operationId: 'listCollectionTracks',
    method: 'GET',
    path: '/v1/collections/{id}/tracks',
    version: API_VERSION,
    tag: 'Collections',
    summary: 'Page through a collection',
    description:
      'In the order of the collection. Tracks that were taken down are omitted and not counted; they keep their place.',
    access: COLLECTION_ACCESS,
    errors: ['not_found'],
    params: Type.Object(collectionParams),
    query: Type.Object({ ...pageMembers, ...languageMember }),
    localized: 'header',
    data: paginated(PlacedTrackSchema, 'PlacedTrackPage'),
    async handle({ params, query, caller }) {
      const id = params.id.toLowerCase();
      const trackIds = await collectionTracks.trackIds(id, caller!);
      const live = catalog.locate(trackIds, {}).filter((track) => track !== undefined);
      const { items, totalRecords, currentPage, pageSize } = pageOf(live, query);
      const first = (currentPage - 1) * pageSize + 1;
      const positions = new Map(items.map((rowId, i) => [rowId, first + i]));
      const texts = new Map<string, string>();
      const shown = new Set<number>();
      for (const item of await collectionTracks.items(id, caller!, items)) {
        const position = positions.get(item.trackRowId)!;
        const addedAt = new Date(item.addedAt).toISOString();
        shown.add(item.trackRowId);
        texts.set(
          item.trackId,
          `{"position":${position},"note":${asciiJson(item.note)},"addedAt":"${addedAt}","track":`,
        );
      }
      return pages.page(
        { totalRecords, page: currentPage, pageSize },
        // One may have been removed between the reads.
        items.filter((rowId) => shown.has(rowId)),
        caller!,
        (trackId) => ({ before: texts.get(trackId)!, after: '}' }),
      );
    },
  });
}
