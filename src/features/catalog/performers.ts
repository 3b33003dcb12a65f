import { WRITER_ROLES } from './writers.ts';

interface Credit {
  name: string;
  role: string;
  isPrimary: boolean;
}

/** The names of those who perform, the primary one first; of all if nobody does. */
export function performersOf(credits: readonly Credit[]): string[] {
  const performing = credits.filter(({ role }) => !WRITER_ROLES.includes(role));
  const credited = performing.length > 0 ? performing : credits;
  const sorted = credited.toSorted((a, b) => +b.isPrimary - +a.isPrimary);
  return [...new Set(sorted.map(({ name }) => name))];
}
