import Type from 'typebox';
import type { LanguageView } from '../../../common/caller.ts';
import { StaveError } from '../../../common/errors.ts';
import { integer, slug, text, timestamp, uuid } from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { pageMembers, pageOf, pageResponse, paginated } from '../../../engines/http/schemas.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import { shownText } from '../../languages/languages.ts';
import { languageMember } from '../../languages/routes/language.ts';
import type { LanguageStore } from '../../languages/store/language-store.ts';
import { generatedArtworkPath } from '../../media/artwork/artwork.ts';
import type { TrackPages } from '../../tracks/routes/track-page.ts';
import { TrackPageSchema } from '../../tracks/routes/track-schemas.ts';
import type { PlaylistSummary } from '../playlist.ts';
import type { PlaylistStore } from '../store/playlist-store.ts';

/** A playlist as partners see it (docs/contract/playlists.md#playlist-fields). */
const PlaylistSchema = Type.Object(
  {
    id: uuid({ examples: ['9f0e6a4d-2a57-4f6e-8c1b-7d3f5b9a0e21'] }),
    name: Type.String({ examples: ['Late Evening'] }),
    slug: slug({ description: 'Unique among playlists.', examples: ['late-evening'] }),
    description: Type.String({ examples: ['Quiet pieces for the last hour.'] }),
    trackCount: integer('The number of its live tracks.', 12),
    durationSeconds: integer('The total duration of its live tracks.', 2210),
    artworkUrl: Type.String({
      format: 'uri',
      description: 'The URL has no signature and may be cached forever.',
      examples: [
        'http://127.0.0.1:8080/media/artwork/generated-1-3f2b6c1e-94d7-4a05-8c1b-7d3f5b9a0e21.png',
      ],
    }),
    createdAt: timestamp({ examples: ['2026-11-02T09:30:00.000Z'] }),
    updatedAt: timestamp({ examples: ['2026-11-20T16:05:12.345Z'] }),
  },
  { title: 'Playlist', description: 'A list of tracks that the licensor granted to the client.' },
);

export type PlaylistTexts = Pick<LanguageStore, 'playlistTexts'>;

interface PlaylistSources<Read extends keyof PlaylistStore> {
  playlists: Pick<PlaylistStore, Read>;
  texts: PlaylistTexts;
  /** The base of the service's own URLs, without a trailing slash. */
  publicUrl: () => string;
}

const PLAYLISTS = {
  tag: 'Playlists',
  access: { scope: 'playlists' },
  localized: 'header',
} as const;

/** See docs/contract/playlists.md#list-of-playlists. */
export function listPlaylists({ playlists, texts, publicUrl }: PlaylistSources<'list'>): Route {
  return route({
    ...PLAYLISTS,
    operationId: 'listPlaylists',
    method: 'GET',
    path: '/v1/playlists',
    summary: 'List the playlists granted to you',
    description: 'Ordered by name. Counts and durations omit tracks that were taken down.',
    query: Type.Object({ ...pageMembers, ...languageMember }),
    data: paginated(PlaylistSchema, 'PlaylistPage'),
    async handle({ query, caller }) {
      const granted = await playlists.list({ clientId: caller!.clientId });
      const { items } = pageOf(granted, query);
      const localized = await localizedPlaylists(texts, items, caller!.language);
      const shown = localized.map((summary) => shownPlaylist(summary, publicUrl()));
      return pageResponse(shown, granted.length, query);
    },
  });
}

/** See docs/contract/playlists.md#single-playlist. */
export function showPlaylist({ playlists, texts, publicUrl }: PlaylistSources<'summary'>): Route {
  return route({
    ...PLAYLISTS,
    operationId: 'showPlaylist',
    method: 'GET',
    path: '/v1/playlists/{idOrSlug}',
    summary: 'Read one playlist',
    description:
      'By id or slug, in any case. Count and duration omit tracks that were taken down. The response for a playlist that is not granted to you is the same as for one that does not exist.',
    errors: ['not_found'],
    params: Type.Object({
      idOrSlug: text('Id or slug of a playlist, in any case.', 'late-evening'),
    }),
    query: Type.Object(languageMember),
    data: PlaylistSchema,
    async handle({ params, caller }) {
      // Looks only at playlists granted to the client, so that nobody learns which others exist.
      const summary = await playlists.summary(params.idOrSlug.toLowerCase(), caller!.clientId);
      if (summary === undefined) {
        throw noPlaylist();
      }
      const [shown] = await localizedPlaylists(texts, [summary], caller!.language);
      return { data: shownPlaylist(shown!, publicUrl()) };
    },
  });
}

/** See docs/contract/playlists.md#tracks-of-a-playlist. */
export function listPlaylistTracks({
  playlists,
  catalog,
  pages,
}: {
  playlists: Pick<PlaylistStore, 'find'>;
  catalog: Pick<LiveCatalog, 'locate'>;
  pages: Pick<TrackPages, 'page'>;
}): Route {
  return route({
    ...PLAYLISTS,
    operationId: 'listPlaylistTracks',
    method: 'GET',
    path: '/v1/playlists/{idOrSlug}/tracks',
    summary: 'Page through a playlist',
    description:
      'In the order of the playlist. Tracks that were taken down are omitted and not counted. The response for a playlist that is not granted to you is the same as for one that does not exist.',
    errors: ['not_found'],
    params: Type.Object({
      idOrSlug: text('Id or slug of a playlist, in any case.', 'quiet-focus'),
    }),
    query: Type.Object({ ...pageMembers, ...languageMember }),
    data: TrackPageSchema,
    async handle({ params, query, caller }) {
      // Looks only at playlists granted to the client, so that nobody learns which others exist.
      const playlist = await playlists.find(params.idOrSlug.toLowerCase(), caller!.clientId);
      if (playlist === undefined) {
        throw noPlaylist();
      }
      const live = catalog.locate(playlist.trackIds, {}).filter((track) => track !== undefined);
      return pages.page(pageOf(live, query), caller!);
    },
  });
}

/** Returns playlists with names and descriptions in the language of a view; without one, as they are. */
export async function localizedPlaylists<Shown extends Named>(
  texts: PlaylistTexts,
  playlists: readonly Shown[],
  view: LanguageView | undefined,
): Promise<readonly Shown[]> {
  if (view === undefined || view.chain.length === 0) {
    return playlists;
  }
  const found = await texts.playlistTexts(
    playlists.map(({ id }) => id),
    view.chain,
  );
  return playlists.map((playlist) => {
    const translated = new Map(found.get(playlist.id)?.map((text) => [text.language, text]));
    const shown = <Member extends 'name' | 'description'>(member: Member) =>
      shownText(view, (language) => translated.get(language)?.[member], {
        text: playlist[member] ?? '',
        language: view.original,
      }).text;
    const description = 'description' in playlist && { description: shown('description') };
    return { ...playlist, name: shown('name'), ...description };
  });
}

interface Named {
  id: string;
  name: string;
  description?: string;
}

/** Returns a playlist as in `PlaylistSchema`; `base` is the base of the service's own URLs. */
function shownPlaylist(summary: PlaylistSummary, base: string) {
  return {
    id: summary.id,
    name: summary.name,
    slug: summary.slug,
    description: summary.description,
    trackCount: summary.trackCount,
    durationSeconds: summary.durationSeconds,
    artworkUrl: base + generatedArtworkPath(summary.id),
    createdAt: new Date(summary.createdAt).toISOString(),
    updatedAt: new Date(summary.updatedAt).toISOString(),
  };
}

/**
 * Returns the same error for a playlist that does not exist and for one that is not granted
 * (docs/contract/playlists.md#playlists-that-are-not-granted).
 */
function noPlaylist(): StaveError {
  return new StaveError('not_found', 'There is no playlist of this id or slug for you.');
}
