import type { Filter } from '../catalog/track.ts';
import type { FilterTranslation, PlaylistText } from '../languages/translations.ts';
import texts from './translations.json' with { type: 'json' };

/** The languages of the texts in `translations.json`, in their order. */
const LANGUAGES = ['de', 'ja'];

export const DEMO_LANGUAGE = 'en';

/** Texts by the English one. */
type Texts = Readonly<Record<string, readonly string[]>>;

export function trackTranslations(name: string, tags: readonly string[]): object {
  const names = translated(texts.tracks, name);
  const words = tags.map((tag) => translated(texts.tags, tag));
  return Object.fromEntries(
    LANGUAGES.map((language, i) => [
      language,
      { name: names[i], tags: words.map((word) => word[i]) },
    ]),
  );
}

/** Returns the names of a filter of the demo in each language; none for other filters. */
export function filterTranslations({ id, name }: Filter): (FilterTranslation & { name: string })[] {
  const names: Texts = texts.filters;
  const found = Object.hasOwn(names, name) ? names[name]! : [];
  return found.map((text, i) => ({ filter: id, language: LANGUAGES[i]!, name: text }));
}

export function playlistTexts(playlist: { name: string; description: string }): PlaylistText[] {
  const names = translated(texts.playlists, playlist.name);
  const descriptions = translated(texts.playlists, playlist.description);
  return LANGUAGES.map((language, i) => ({
    language,
    name: names[i]!,
    description: descriptions[i]!,
  }));
}

function translated(table: Texts, english: string): readonly string[] {
  const found = table[english];
  if (found === undefined) throw new RangeError(`the demo has no translation of ${english}`);
  return found;
}
