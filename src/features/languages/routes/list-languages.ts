import Type from 'typebox';
import { API_VERSION } from '../../../common/version.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { LanguageStore } from '../translations.ts';
import { SharedCounts } from './shared-counts.ts';

const count = (of: string) =>
  Type.Integer({
    minimum: 0,
    description: `The number of ${of} with a text in it.`,
    examples: [12],
  });

const LanguagesSchema = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          language: Type.String({ description: 'A language tag (RFC 5646).', examples: ['de'] }),
          tracks: count('tracks'),
          filters: count('filters'),
          playlists: count('playlists'),
        },
        { title: 'Language' },
      ),
      { description: 'The languages with translations, by their tags.' },
    ),
    original: Type.String({
      description: 'The language of texts that are not translated, unless their track names one.',
      examples: ['en'],
    }),
  },
  { title: 'Languages' },
);

/** GET /v1/languages: lists the languages of translations (docs/contract/languages.md#list-of-languages). */
export function listLanguages({
  languages,
  catalog,
}: {
  languages: Pick<LanguageStore, 'counts'>;
  /** The languages of the texts that the node has in memory; `version` changes with them. */
  catalog: { readonly languages: { version: number; all: { original: string } } };
}): Route {
  const counts = new SharedCounts(languages, () => catalog.languages.version);
  return route({
    operationId: 'listLanguages',
    method: 'GET',
    path: '/v1/languages',
    version: API_VERSION,
    tag: 'Languages',
    summary: 'List the languages of texts',
    description:
      'The languages into which names, tags and descriptions are translated, with the numbers of live tracks, filters and playlists that have such a text.',
    access: { scope: 'localization', feature: 'localization' },
    errors: [],
    data: LanguagesSchema,
    async handle() {
      return { data: { items: await counts.read(), original: catalog.languages.all.original } };
    },
  });
}
