import { CellProblem } from './cell-problem.ts';
import type { Lookup } from './rule-schema.ts';

/** What a side file has for each key: whole rows, or one member of them. */
export interface LookupTable {
  get(key: string): readonly unknown[] | undefined;
}

/** Returns the table of a lookup, which is loaded before the mapping is compiled. */
export type Lookups = (lookup: Lookup) => LookupTable;

/** The lookups of a mapping that comes without side files. Throws an Error. */
export const NO_LOOKUPS: Lookups = ({ file }) => {
  throw new Error(`the side file ${file} of \`lookup\` is not loaded`);
};

/** How many values a rule may find for one record. A record has no longer list. */
const MAX_FOUND = 200;

/** Returns the text by which a key is found: 17 and " 17 " are the same key. */
export function keyText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number'
    ? String(value).trim() || undefined
    : undefined;
}

/** Replaces each value by what the table has for it. One found value is no list. */
export function lookupStep(field: string, table: LookupTable): (value: unknown) => unknown {
  return (value) => {
    const keys: unknown[] = Array.isArray(value) ? value : [value];
    const found: unknown[] = [];
    for (const key of keys) {
      const text = keyText(key);
      const rows = text === undefined ? [] : (table.get(text) ?? []);
      if (found.length + rows.length > MAX_FOUND) {
        throw new CellProblem(field, `finds more than ${MAX_FOUND} values in the side file`);
      }
      found.push(...rows);
    }
    return found.length > 1 ? found : found[0];
  };
}
