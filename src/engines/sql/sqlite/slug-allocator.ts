import { chooseSlug, type SlugKind } from '../../../common/text/slug.ts';
import type { Database } from './database.ts';

const IS_TAKEN: Readonly<Record<SlugKind, string>> = {
  track: 'SELECT 1 FROM tracks WHERE slug = ?',
  playlist: 'SELECT 1 FROM playlists WHERE slug = ?',
  filter: 'SELECT 1 FROM filters WHERE slug = ?',
};

/**
 * Returns a free slug for the base. Runs within the transaction that uses the slug. The next number of a base
 * is stored in slug_series, so that the thousandth "Intro" costs as much as the second.
 */
export function allocateSlug(database: Database, kind: SlugKind, base: string): string {
  const taken = database.prepare(IS_TAKEN[kind]);
  const { slug, nextNumber } = chooseSlug(
    base,
    (candidate) => taken.get(candidate) !== undefined,
    () => {
      const row = database
        .prepare('SELECT next FROM slug_series WHERE kind = ? AND base = ?')
        .get(kind, base);
      return (row?.next as number | undefined) ?? 2;
    },
  );
  if (nextNumber !== undefined) {
    const sql = `
      INSERT INTO slug_series (kind, base, next) VALUES (?, ?, ?)
      ON CONFLICT DO UPDATE SET next = excluded.next`;
    database.prepare(sql).run(kind, base, nextNumber);
  }
  return slug;
}
