import type { LanguageView } from '../../../common/caller.ts';
import { StaveError } from '../../../common/errors.ts';
import { shownText } from '../../languages/languages.ts';
import type { LanguageStore } from '../../languages/translations.ts';
import { playlistArtworkPath } from '../../media/artwork/artwork.ts';
import type { PlaylistSummary } from '../playlist.ts';

/** Where the texts of playlists in other languages come from. */
export type PlaylistTexts = Pick<LanguageStore, 'playlistTexts'>;

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
export function shownPlaylist(summary: PlaylistSummary, base: string) {
  return {
    id: summary.id,
    name: summary.name,
    slug: summary.slug,
    description: summary.description,
    trackCount: summary.trackCount,
    durationSeconds: summary.durationSeconds,
    artworkUrl: base + playlistArtworkPath(summary.id),
    createdAt: new Date(summary.createdAt).toISOString(),
    updatedAt: new Date(summary.updatedAt).toISOString(),
  };
}

/**
 * Returns the same error for a playlist that does not exist and for one that is not granted
 * (docs/contract/playlists.md#playlists-that-are-not-granted).
 */
export function noPlaylist(): StaveError {
  return new StaveError('not_found', 'There is no playlist of this id or slug for you.');
}
