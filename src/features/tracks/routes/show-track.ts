import Type from 'typebox';
import { StaveError } from '../../../common/errors.ts';
import { text } from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { CatalogStore } from '../../catalog/store/catalog-store.ts';
import { fixtureOf } from '../../catalog/track-document.ts';
import { languageMember } from '../../languages/routes/language.ts';
import type { TrackPages } from './track-page.ts';
import { TrackSchema } from './track-schemas.ts';

/** See docs/contract/tracks.md#single-track. */
export function showTrack({
  catalog,
  pages,
}: {
  catalog: Pick<CatalogStore, 'document'>;
  pages: Pick<TrackPages, 'track'>;
}): Route {
  return route({
    operationId: 'showTrack',
    method: 'GET',
    path: '/v1/tracks/{slug}',
    tag: 'Tracks',
    summary: 'Read one track',
    description:
      'By slug or id, in any case. A track that was taken down is not found. With a test token, `f1c70000-0000-4000-8000-000000000200` is always found.',
    access: { scope: 'tracks' },
    errors: ['not_found'],
    params: trackParams,
    query: Type.Object(languageMember),
    localized: 'header',
    data: TrackSchema,
    async handle({ params, caller }) {
      const name = params.slug.toLowerCase();
      const document = fixtureOf(name, caller!.mode)?.document ?? (await catalog.document(name));
      if (document === undefined) {
        throw unknownTrack();
      }
      return pages.track(document, caller!);
    },
  });
}

export const trackParams = Type.Object({
  slug: text('Slug or id of a track.', 'night-bus-home'),
});

export function unknownTrack(): StaveError {
  return new StaveError(
    'not_found',
    'There is no track of this slug or id; it may have been taken down.',
  );
}
