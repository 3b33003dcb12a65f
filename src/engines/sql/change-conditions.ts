import type { ChangeFilter } from '../change-log/change-log.ts';

/** The SQL condition of each member of a filter, with the SQL of its value. */
const CONDITIONS: Readonly<Record<keyof ChangeFilter, (value: string) => string>> = {
  beforeSeq: (value) => `seq < ${value}`,
  entity: (value) => `entity = ${value}`,
  entityId: (value) => `entity_id = ${value}`,
  kind: (value) => `kind = ${value}`,
  by: (value) => `by = ${value}`,
  batchId: (value) => `batch_id = ${value}`,
  source: (value) => `entity = 'track' AND EXISTS (
    SELECT 1 FROM tracks WHERE tracks.id = entity_id AND tracks.source = ${value})`,
  // Only the letters of ASCII, because SQLite does not know the cases of others.
  text: (value) =>
    `lower(coalesce(reason, '') || ' ' || coalesce(reference, '')) LIKE ${value} ESCAPE '!'`,
  since: (value) => `at >= ${value}`,
  until: (value) => `at <= ${value}`,
};

/**
 * Returns the SQL condition of a filter, and its values. There is always a bound of `seq`, so that the log is
 * read by its primary key.
 * @param parameter the SQL of the nth value, from 1
 */
export function changeConditions(
  filter: ChangeFilter,
  parameter: (n: number) => string,
): { sql: string; values: (string | number)[] } {
  const complete = {
    ...filter,
    beforeSeq: filter.beforeSeq ?? Number.MAX_SAFE_INTEGER,
    text: filter.text === undefined ? undefined : containing(filter.text),
  };
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  for (const [member, condition] of Object.entries(CONDITIONS)) {
    const value = complete[member as keyof ChangeFilter];
    if (value !== undefined) conditions.push(condition(parameter(values.push(value))));
  }
  return { sql: conditions.join(' AND '), values };
}

/** Returns the pattern of LIKE for texts that contain this one. */
function containing(text: string): string {
  const lower = text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
  return `%${lower.replace(/[!%_]/g, '!$&')}%`;
}
