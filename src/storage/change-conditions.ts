import type { ChangeFilter } from '../changes/change-log.ts';

const COMPARISONS: Readonly<Record<keyof ChangeFilter, string>> = {
  beforeSeq: 'seq <',
  entity: 'entity =',
  entityId: 'entity_id =',
  kind: 'kind =',
  by: 'by =',
  since: 'at >=',
  until: 'at <=',
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
  const complete = { ...filter, beforeSeq: filter.beforeSeq ?? Number.MAX_SAFE_INTEGER };
  const conditions: string[] = [];
  const values: (string | number)[] = [];
  for (const [member, comparison] of Object.entries(COMPARISONS)) {
    const value = complete[member as keyof ChangeFilter];
    if (value !== undefined) {
      conditions.push(`${comparison} ${parameter(values.push(value))}`);
    }
  }
  return { sql: conditions.join(' AND '), values };
}
