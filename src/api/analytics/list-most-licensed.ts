import Type from 'typebox';
import { TRACK_TYPES } from '../../catalog/track.ts';
import { API_VERSION } from '../../kernel/version.ts';
import { POPULARITY_PERIODS } from '../../licensing/licence.ts';
import type { Popularity } from '../../licensing/popularity.ts';
import { type Route, route } from '../route.ts';
import { MAX_FILTERS, oneOf, slug } from '../schemas/fields.ts';
import { pageMembers, pageOf, paginated } from '../schemas/page.ts';
import { TrackSchema } from '../schemas/track.ts';
import type { TrackPages } from '../tracks/track-page.ts';

const LicensedTrackSchema = Type.Object(
  {
    rank: Type.Integer({
      minimum: 1,
      description: 'Place in the whole list, which goes on over the pages.',
      examples: [1],
    }),
    licenseCount: Type.Integer({
      minimum: 1,
      description: 'Licences of the period, by all clients, in the mode of the token.',
      examples: [37],
    }),
    track: TrackSchema,
  },
  { title: 'LicensedTrack' },
);

/** GET /v1/analytics/most-licensed: what sells, in the mode of the token (decisions §5). */
export function listMostLicensed({
  popularity,
  pages,
}: {
  popularity: Pick<Popularity, 'mostLicensed'>;
  pages: Pick<TrackPages, 'page'>;
}): Route {
  return route({
    operationId: 'listMostLicensed',
    method: 'GET',
    path: '/v1/analytics/most-licensed',
    version: API_VERSION,
    tag: 'Analytics',
    summary: 'List the most licensed tracks',
    description:
      'Tracks with at least one licence in the period, most licensed first, ties by id. Counts span all clients, live licences for a live token and test ones for a test token. `type` and `filterSlugs` narrow the list before it is ranked.',
    access: { scope: 'analytics' },
    errors: [],
    query: Type.Object({
      period: Type.Optional(
        oneOf(POPULARITY_PERIODS, {
          default: 'all',
          description: 'Licences of the last days, or of all time.',
          examples: ['30d'],
        }),
      ),
      type: Type.Optional(
        oneOf(TRACK_TYPES, {
          description: 'Only music, or only sound effects.',
          examples: ['music'],
        }),
      ),
      filterSlugs: Type.Optional(
        Type.Array(slug(), {
          maxItems: MAX_FILTERS,
          description: 'Slugs of filters; a track must carry all of them.',
          examples: [['ambient']],
        }),
      ),
      ...pageMembers,
    }),
    data: paginated(LicensedTrackSchema, 'LicensedTrackPage'),
    async handle({ query: { period = 'all', type, filterSlugs, ...paging }, caller }) {
      const ranking = await popularity.mostLicensed({
        mode: caller!.mode,
        period,
        ...(type !== undefined && { type }),
        ...(filterSlugs?.length && { filterSlugs: [...new Set(filterSlugs)] }),
      });
      const { items, totalRecords, currentPage, pageSize } = pageOf(ranking, paging);
      const places = new Map(
        items.map(({ trackId, licenseCount }, i) => [
          trackId,
          `{"rank":${(currentPage - 1) * pageSize + i + 1},"licenseCount":${licenseCount},"track":`,
        ]),
      );
      return pages.page(
        { totalRecords, page: currentPage, pageSize },
        items.map(({ no }) => no),
        caller!,
        (trackId) => ({ before: places.get(trackId)!, after: '}' }),
      );
    },
  });
}
