import { chooseSlug, type SlugKind } from '../../../common/text/slug.ts';
import type { Transaction } from './database.ts';

const TABLES: Readonly<Record<SlugKind, string>> = {
  track: 'tracks',
  playlist: 'playlists',
  filter: 'filters',
};

/**
 * Returns free slugs for the bases, in order. Each counts as taken for the next ones. Runs within the
 * transaction that uses the slugs. The next number of a base is stored in slug_series, so that the thousandth
 * "Intro" costs as much as the second. Needs a few statements for any number of bases.
 */
export async function allocateSlugs(
  tx: Transaction,
  kind: SlugKind,
  bases: readonly string[],
): Promise<string[]> {
  if (bases.length === 0) return [];
  const { taken, series } = await lookUp(tx, kind, [...new Set(bases)]);
  /** Whether a slug is taken. Slugs that were not looked up yet are missing. */
  const known = new Map(bases.map((base) => [base, taken.has(base)]));
  for (;;) {
    const unknown = new Set<string>();
    const { slugs, next } = choose(bases, known, unknown, series);
    // The choice is final if all slugs that it considered have been looked up.
    if (unknown.size === 0) {
      await keepSeries(tx, kind, next);
      return slugs;
    }
    const found = await lookUp(tx, kind, [...unknown]);
    for (const slug of unknown) known.set(slug, found.taken.has(slug));
  }
}

/** Chooses for all bases. Assumes that unknown slugs are free, and adds them to `unknown`. */
function choose(
  bases: readonly string[],
  known: ReadonlyMap<string, boolean>,
  unknown: Set<string>,
  series: ReadonlyMap<string, number>,
): { slugs: string[]; next: Map<string, number> } {
  const given = new Set<string>();
  const next = new Map<string, number>();
  const slugs = bases.map((base) => {
    const { slug, nextNumber } = chooseSlug(
      base,
      (candidate) => {
        if (given.has(candidate)) return true;
        if (!known.has(candidate)) unknown.add(candidate);
        return known.get(candidate) ?? false;
      },
      () => next.get(base) ?? series.get(base) ?? 2,
    );
    given.add(slug);
    if (nextNumber !== undefined) next.set(base, nextNumber);
    return slug;
  });
  return { slugs, next };
}

/** Returns which of the slugs are taken, and the next numbers of those that are the base of a series. */
async function lookUp(
  tx: Transaction,
  kind: SlugKind,
  slugs: readonly string[],
): Promise<{ taken: Set<string>; series: Map<string, number> }> {
  const sql = `
    SELECT slug, NULL::bigint AS next FROM ${TABLES[kind]} WHERE slug = ANY($2::text[])
    UNION ALL SELECT base, next FROM slug_series WHERE kind = $1 AND base = ANY($2::text[])`;
  const rows = await tx.rows<{ slug: string; next: number | null }>(sql, [kind, slugs]);
  const taken = new Set<string>();
  const series = new Map<string, number>();
  for (const { slug, next } of rows) {
    if (next === null) taken.add(slug);
    else series.set(slug, next);
  }
  return { taken, series };
}

async function keepSeries(
  tx: Transaction,
  kind: SlugKind,
  next: ReadonlyMap<string, number>,
): Promise<void> {
  if (next.size === 0) return;
  const sql = `
    INSERT INTO slug_series (kind, base, next)
    SELECT $1::text, * FROM unnest($2::text[], $3::bigint[])
    ON CONFLICT (kind, base) DO UPDATE SET next = excluded.next`;
  await tx.rows(sql, [kind, [...next.keys()], [...next.values()]]);
}
