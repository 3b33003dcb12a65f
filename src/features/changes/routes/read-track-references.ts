import Type, { type TSchema } from 'typebox';
import { StaveError } from '../../../common/errors.ts';
import { flag, openEnum, slug, timestampOrNull, uuid } from '../../../common/schema-types.ts';
import { isoOrNull } from '../../../common/time.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { languageMember } from '../../languages/routes/language.ts';
import { licenseState } from '../../licensing/issued-license.ts';
import { localizedPlaylists, type PlaylistTexts } from '../../playlists/routes/playlist-routes.ts';
import type { ReferenceStore } from '../../takedown/store/reference-store.ts';
import { MAX_REFERENCES } from '../../takedown/track-references.ts';
import { trackParams } from '../../tracks/routes/show-track.ts';

/** See docs/contract/references.md#members. */
const ReferencesSchema = Type.Object(
  {
    trackId: uuid({ examples: ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'] }),
    state: openEnum(['live', 'taken_down'], { examples: ['taken_down'] }),
    since: timestampOrNull({
      description: 'When the track was taken down; null if it is live.',
      examples: ['2026-11-21T10:00:01.004Z'],
    }),
    playlists: listOf('Playlists that are granted to you, by name.', {
      id: uuid({ examples: ['9f0e6a4d-2a57-4f6e-8c1b-7d3f5b9a0e21'] }),
      name: Type.String({ examples: ['Late Evening'] }),
      slug: slug({ examples: ['late-evening'] }),
    }),
    collections: listOf('Your own collections that contain the track, by name.', {
      id: uuid({ examples: ['0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41'] }),
      name: Type.String({ examples: ['Spring campaign'] }),
    }),
    licenses: listOf('Your licenses. Empty until this version issues licenses.', {
      number: Type.String({ examples: ['2026-000123-7K2QX9MD'] }),
      status: Type.String({ examples: ['active'] }),
      endsAt: timestampOrNull({ examples: ['2027-11-21T00:00:00.000Z'] }),
    }),
    usage: Type.Object(
      {
        events: Type.Integer({ minimum: 0, examples: [12] }),
        lastOccurredAt: timestampOrNull({ examples: ['2026-11-20T08:00:00.000Z'] }),
      },
      { description: 'What you reported of the track. It is no reference by itself.' },
    ),
    truncated: flag(
      `Whether a list has more than the ${MAX_REFERENCES} entries that it shows.`,
      false,
    ),
  },
  { title: 'TrackReferences', description: 'What of a client refers to a track, in one mode.' },
);

/** See docs/contract/references.md#references. */
export function readTrackReferences({
  references,
  texts,
}: {
  references: ReferenceStore;
  texts: PlaylistTexts;
}): Route {
  return route({
    operationId: 'readTrackReferences',
    method: 'GET',
    path: '/v1/tracks/{slug}/references',
    tag: 'Sync',
    summary: 'Find what refers to a track',
    description:
      'By slug or id, in any case: the impact of a takedown. A track that was taken down is found only if one of the three lists refers to it.',
    access: { scope: 'changes', feature: 'changes' },
    errors: ['not_found'],
    params: trackParams,
    query: Type.Object(languageMember),
    localized: 'header',
    data: ReferencesSchema,
    async handle({ params, caller, now }) {
      const { clientId, mode } = caller!;
      const found = await references.ofTrack(params.slug.toLowerCase(), clientId, mode);
      if (found === undefined) {
        throw new StaveError(
          'not_found',
          'There is no live track of this slug or id, and nothing of yours refers to one that was taken down.',
        );
      }
      const { trackId, state, since, isTruncated, usage } = found;
      const playlists = await localizedPlaylists(texts, found.playlists, caller!.language);
      return {
        data: {
          trackId,
          state,
          since: isoOrNull(since),
          playlists,
          collections: found.collections,
          licenses: found.licenses.map((license) => ({
            number: license.number,
            status: licenseState(license, now),
            endsAt: isoOrNull(license.endsAt),
          })),
          usage: { events: usage.events, lastOccurredAt: isoOrNull(usage.lastOccurredAt) },
          truncated: isTruncated,
        },
      };
    },
  });
}

function listOf(description: string, members: Record<string, TSchema>) {
  return Type.Array(Type.Object(members), { description, maxItems: MAX_REFERENCES });
}
