import { builtOver } from '../../engines/search/engine.test-support.ts';
import { track } from '../../engines/search/search-rules.test-support.ts';
import type { VocabularySource } from '../catalog/live/live-catalog.ts';
import type { FilterType } from '../catalog/track.ts';
import type { UnderstandOptions, Vocabulary } from './brief.ts';
import { type Synonym, Synonyms } from './synonyms.ts';
import { understand } from './understand.ts';
import { LiveVocabulary } from './vocabulary.ts';

/** 2026-11-29 at noon, UTC. */
export const NOW = Date.UTC(2026, 10, 29, 12);

interface Catalog {
  /** `genre:Deep House`; with the German name, if any, behind `=`. */
  filters?: readonly string[];
  tags?: readonly string[];
  artists?: readonly string[];
  synonyms?: readonly Synonym[];
}

export function sourceOf({ filters = [], tags = [], artists = [] }: Catalog): VocabularySource {
  const index = builtOver([track(1, { tags, artists })]);
  const read = filters.map((text, i) => {
    const [, type, name, german] = /^(\w[\w-]*):([^=]*)(?:=(.*))?$/.exec(text)!;
    const slug = name!.toLowerCase().replace(/[^a-z]+/g, '-');
    return { filter: { id: `id-${i}`, slug, name: name!, type: type as FilterType }, german };
  });
  return {
    filters: read.map(({ filter }) => filter),
    filterNames: new Map(
      read.flatMap(({ filter, german }) =>
        german === undefined ? [] : [[filter.id, new Map([['de', german]])] as const],
      ),
    ),
    valuesInText: (field, text) => index.valuesInText(field, text),
    commonTags: (limit) => index.commonTags(limit),
  };
}

export function vocabularyOf(catalog: Catalog): Promise<Vocabulary> {
  const source = sourceOf(catalog);
  const synonyms = new Synonyms(catalog.synonyms ?? []);
  return new LiveVocabulary(
    () => source,
    () => synonyms,
  ).current();
}

const FILTERS = [
  ...['genre:House', 'genre:Jazz=Dschäss', 'genre:Blues', 'genre:Drum & Bass', 'genre:Rock'],
  ...['mood:Dark=Düster', 'mood:Calm', 'mood:Happy', 'use-case:Trailer', 'use-case:Advertising'],
  ...['genre:Deep House', 'genre:Cinematic', 'genre:No Wave', 'genre:New Age'],
];
const TAGS = ['piano', 'Drums', 'Brass', 'Electric Guitar', '80s', 'strings'];
const ARTISTS = ['Mara Lindt', 'Queen', 'The Night Owls', 'Night', 'Johann Sebastian Bach', 'P!nk'];
const SYNONYMS = [
  { term: 'düster*', names: ['dark'] },
  { term: 'werbung', names: ['Advertising', 'promo'] },
  { term: 'klavier*', names: ['piano'] },
  { term: 'werbemusik', names: ['happy'] },
  { term: 'chase', names: ['dark'] },
  { term: 'car chase', names: ['trailer'] },
  { term: 'nothing here', names: ['missing'] },
].map(({ term, names }) => ({ term: term.replace('ü', 'u'), names }));

const VOCABULARY = await vocabularyOf({
  filters: FILTERS,
  tags: TAGS,
  artists: ARTISTS,
  synonyms: SYNONYMS,
});

/** What a small catalog understands of a brief. */
export function read(brief: string, options: Partial<UnderstandOptions> = {}) {
  return understand(brief, VOCABULARY, { now: NOW, ...options });
}

/**
 * What is understood, each part as `kind text = what`, with `!` if it is hard: the slug, tag, artist or value, or the
 * range.
 */
export function shown(brief: string, options: Partial<UnderstandOptions> = {}): string[] {
  return read(brief, options).understood.map(
    ({ kind, text, filter, tag, artist, value, min, max, hard }) => {
      const range =
        min === undefined && max === undefined ? undefined : `${min ?? ''}..${max ?? ''}`;
      return `${kind} ${text} = ${filter ?? tag ?? artist ?? value ?? range}${hard ? '!' : ''}`;
    },
  );
}
