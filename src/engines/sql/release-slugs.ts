import type { SlugKind } from '../../common/text/slug.ts';
import type { Queries, SqlDialect } from './database.ts';

/**
 * Deletes the series of freed slugs, so that their numbers are used again. Runs within the transaction that
 * frees the slugs.
 */
export async function releaseSlugs(
  queries: Queries,
  { isOneOf }: SqlDialect,
  kind: SlugKind,
  slugs: readonly string[],
): Promise<void> {
  const bases = slugs.flatMap((slug) => [slug, /^(.+)-\d+$/.exec(slug)?.[1] ?? slug]);
  await queries
    .deleteFrom('slugSeries')
    .where('kind', '=', kind)
    .where(({ ref }) => isOneOf(ref('base'), [...new Set(bases)]))
    .execute();
}
