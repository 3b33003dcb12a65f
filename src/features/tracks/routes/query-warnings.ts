import type { FieldProblem } from '../../../common/errors.ts';
import { shortened } from '../../../engines/http/input/problems.ts';
import { asciiJson } from '../../../engines/http/response/envelope.ts';
import { keysIn } from '../../catalog/live/catalog-query.ts';
import type { LiveCatalog } from '../../catalog/live/live-catalog.ts';
import type { UnknownFilter } from '../../catalog/live/live-filters.ts';
import type { LiveLanguages } from '../../catalog/live/live-languages.ts';

type WarningSource = Pick<LiveCatalog, 'hasKey'> & {
  readonly languages: Pick<LiveLanguages, 'all'>;
};

/** What a query names. `songKey` has the keys of a query that matches nothing. */
interface Named {
  unknown: readonly UnknownFilter[] | undefined;
  songKey?: string | readonly string[] | undefined;
  language?: string | undefined;
}

/** Returns the warnings of `warningsAbout` as JSON; undefined if there are none. */
export function queryWarnings(catalog: WarningSource, named: Named): string | undefined {
  const warnings = warningsAbout(catalog, named);
  return warnings.length === 0 ? undefined : asciiJson(warnings);
}

/**
 * Returns the warnings about what a query names and the catalog does not have (docs/contract/search.md#warnings): filters
 * member by member, each list in the order of the query, the key, and the language.
 */
export function warningsAbout(
  catalog: WarningSource,
  { unknown, songKey, language }: Named,
): FieldProblem[] {
  return [
    ...(unknown ?? []).map(({ field, name, nearest }) => ({
      field,
      message: field.endsWith('Ids')
        ? `no filter has the id ${name}`
        : `no filter has the slug ${shortened(name)}${nearest === undefined ? '' : `; did you mean ${nearest}?`}`,
    })),
    ...keyWarnings([songKey ?? []].flat(), catalog),
    ...(language === undefined ? [] : languageWarnings(language, catalog)),
  ];
}

function keyWarnings(songKeys: readonly string[], catalog: WarningSource): FieldProblem[] {
  const hasKey = (key: string) => catalog.hasKey(key);
  return keysIn(songKeys, hasKey)
    .filter((key) => !hasKey(key))
    .map((key) => ({ field: 'songKey', message: `no track has the key ${shortened(key)}` }));
}

function languageWarnings(language: string, { languages }: WarningSource): FieldProblem[] {
  if (languages.all.includes(language)) return [];
  const known = languages.all.tags.slice(0, 20).join(', ');
  const message = `no text is in ${shortened(language)}; GET /v1/languages lists the languages: ${known}`;
  return [{ field: 'language', message }];
}
