import Type from 'typebox';
import { isUuid } from '../../../common/ids.ts';
import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { freeText } from '../../../engines/http/schemas.ts';
import { fixtureOf } from '../../catalog/fixtures.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { SlugIds } from '../../catalog/slug-ids.ts';
import type { TrackDocument } from '../../catalog/track.ts';
import { languageMember } from '../../languages/routes/language.ts';
import { distinctNames, MAX_NAMED_TRACKS } from './distinct-names.ts';
import { NamedTracksSchema } from './schemas/track.ts';
import type { TrackPages } from './track-page.ts';

/**
 * POST /v1/tracks/batch: reads several tracks by their slugs or ids, in any case
 * (docs/contract/tracks.md#several-tracks).
 */
export function batchTracks({
  catalog,
  slugIds,
  pages,
}: {
  catalog: Pick<LiveCatalog, 'locate'>;
  slugIds: SlugIds;
  pages: Pick<TrackPages, 'named'>;
}): Route {
  return route({
    operationId: 'batchTracks',
    method: 'POST',
    path: '/v1/tracks/batch',
    version: API_VERSION,
    tag: 'Tracks',
    summary: 'Read several tracks',
    description:
      'By slugs or ids, in any case. The tracks are in the order of the request. A track that is named twice is returned once, at its first place. `notFound` lists the names without a track, as they were sent; a track that was taken down is not found. It is a read: it counts as one request, and an `Idempotency-Key` is ignored.',
    access: { scope: 'tracks' },
    errors: [],
    query: Type.Object(languageMember),
    body: Type.Object(
      {
        tracks: Type.Array(freeText({ minLength: 1 }), {
          minItems: 1,
          maxItems: MAX_NAMED_TRACKS,
          description: 'Slugs or ids of tracks.',
          examples: [['night-bus-home', 'no-such-track']],
        }),
      },
      { title: 'BatchRequest' },
    ),
    localized: 'header',
    data: NamedTracksSchema,
    cacheable: true,
    async handle({ body, caller }) {
      const names = distinctNames(body.tracks);
      const ids = await idsOf(slugIds, [...names.keys()]);
      const known = [...new Set(ids)].filter((id) => id !== undefined);
      const tracks = catalog
        .locate(known, {})
        .map((rowId, i) => rowId ?? fixtureOf(known[i]!, caller!.mode)?.document ?? undefined)
        .filter((track) => track !== undefined);
      const notFound = (shown: readonly TrackDocument[]) => {
        // Each name has a track of its own.
        if (shown.length === names.size) return [];
        const idsOfShown = new Set<string | undefined>(shown.map(({ id }) => id));
        return [...names.values()].filter((_, i) => !idsOfShown.has(ids[i]));
      };
      return pages.named(tracks, notFound, caller!);
    },
  });
}

/**
 * Returns the id for each name, which is in lower case; undefined if no track has it. Whether the track is live,
 * the catalog says.
 */
async function idsOf(slugIds: SlugIds, names: readonly string[]): Promise<(string | undefined)[]> {
  const ids = names.map((name) => (isUuid(name) ? name : undefined));
  const slugs = names.filter((_, i) => ids[i] === undefined);
  if (slugs.length === 0) return ids;
  const idsOfSlugs = await slugIds.of(slugs);
  let next = 0;
  return ids.map((id) => id ?? idsOfSlugs[next++]);
}
