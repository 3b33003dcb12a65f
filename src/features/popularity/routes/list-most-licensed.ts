import Type from 'typebox';
import { integer, oneOf } from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import {
  filterSlugsMember,
  pageMembers,
  pageOf,
  paginated,
  rangeOf,
  warningsMember,
} from '../../../engines/http/schemas.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import { TRACK_TYPES } from '../../catalog/track-values.ts';
import { languageMember } from '../../languages/routes/language.ts';
import { POPULARITY_PERIODS } from '../../licensing/license.ts';
import { queryWarnings } from '../../tracks/routes/query-warnings.ts';
import type { TrackPages } from '../../tracks/routes/track-page.ts';
import { TrackSchema } from '../../tracks/routes/track-schemas.ts';
import type { Popularity } from '../popularity.ts';

const LicensedTrackSchema = Type.Object(
  {
    rank: integer('The rank in the whole list, over all pages.', 1, { minimum: 1 }),
    licenseCount: integer(
      'The number of licenses of the period, by all clients, in the mode of the token.',
      37,
      { minimum: 1 },
    ),
    track: TrackSchema,
  },
  { title: 'LicensedTrack' },
);

/** See docs/contract/analytics.md#most-licensed-tracks. */
export function listMostLicensed({
  popularity,
  catalog,
  pages,
}: {
  popularity: Pick<Popularity, 'mostLicensed'>;
  catalog: Pick<LiveCatalog, 'hasKey' | 'unknownFilters' | 'search' | 'languages'>;
  pages: Pick<TrackPages, 'page'>;
}): Route {
  return route({
    operationId: 'listMostLicensed',
    method: 'GET',
    path: '/v1/analytics/most-licensed',
    tag: 'Analytics',
    summary: 'List the most licensed tracks',
    description:
      'Tracks with at least one license in the period, most licensed first, ties by id. Counts include all clients: live licenses for a live token, test licenses for a test token. `type` and `filterSlugs` restrict the list before it is ranked.',
    access: { scope: 'analytics' },
    query: Type.Object({
      period: Type.Optional(
        oneOf(POPULARITY_PERIODS, {
          default: 'all',
          description: 'The period of the licenses: the last days, or all time.',
          examples: ['30d'],
        }),
      ),
      type: Type.Optional(
        oneOf(TRACK_TYPES, {
          description: 'Only music, or only sound effects.',
          examples: ['music'],
        }),
      ),
      filterSlugs: filterSlugsMember,
      ...pageMembers,
      ...languageMember,
    }),
    localized: 'header',
    data: paginated(LicensedTrackSchema, 'LicensedTrackPage', warningsMember),
    async handle({ query: { period = 'all', type, filterSlugs, ...paging }, caller }) {
      const ranking = await popularity.mostLicensed({
        mode: caller!.mode,
        period,
        type,
        filterSlugs,
      });
      const page = pageOf(ranking, paging);
      const first = rangeOf(paging).offset + 1;
      const places = new Map(
        page.items.map(({ trackId, licenseCount }, i) => [
          trackId,
          `{"rank":${first + i},"licenseCount":${licenseCount},"track":`,
        ]),
      );
      return pages.page(
        {
          ...page,
          items: page.items.map(({ rowId }) => rowId),
          warnings: queryWarnings(catalog, {
            unknown: catalog.unknownFilters({ filterSlugs: filterSlugs ?? [] }),
            language: paging.language,
          }),
        },
        caller!,
        (trackId) => ({ before: places.get(trackId)!, after: '}' }),
      );
    },
  });
}
