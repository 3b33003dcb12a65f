import Type from 'typebox';
import { integer, text } from '../../../common/schema-types.ts';
import { limited } from '../../../common/work/limited.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { LanguageStore } from '../store/language-store.ts';
import type { LanguageCount } from '../translations.ts';

const count = (of: string) => integer(`The number of ${of} with a text in it.`, 12);

const LanguagesSchema = Type.Object(
  {
    items: Type.Array(
      Type.Object(
        {
          language: text('A language tag (RFC 5646).', 'de'),
          tracks: count('tracks'),
          filters: count('filters'),
          playlists: count('playlists'),
        },
        { title: 'Language' },
      ),
      { description: 'The languages with translations, by their tags.' },
    ),
    original: text(
      'The language of texts that are not translated, unless their track names one.',
      'en',
    ),
  },
  { title: 'Languages' },
);

/** See docs/contract/languages.md#list-of-languages. */
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
    tag: 'Languages',
    summary: 'List the languages of texts',
    description:
      'The languages into which names, tags and descriptions are translated, with the numbers of live tracks, filters and playlists that have such a text.',
    access: { scope: 'localization', feature: 'localization' },
    data: LanguagesSchema,
    async handle() {
      return { data: { items: await counts.read(), original: catalog.languages.all.original } };
    },
  });
}

/** Counts the texts of each language once for all requests until they change, because that may take a second. */
export class SharedCounts {
  readonly #store: Pick<LanguageStore, 'counts'>;
  readonly #version: () => number;
  readonly #inTurn = limited(1);
  #latest: { version: number; counts: LanguageCount[] } | undefined;

  /** @param version returns a number that rises with each change of the texts, after the change is committed. */
  constructor(store: Pick<LanguageStore, 'counts'>, version: () => number) {
    this.#store = store;
    this.#version = version;
  }

  read(): Promise<LanguageCount[]> {
    return this.#inTurn(async () => {
      // Read before the count, which a later change makes outdated.
      const version = this.#version();
      if (this.#latest?.version !== version) {
        this.#latest = { version, counts: await this.#store.counts() };
      }
      return this.#latest.counts;
    });
  }
}
