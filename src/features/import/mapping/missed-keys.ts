import { describe } from '../record.ts';
import type { Lookups, LookupTable } from './lookups.ts';
import type { Lookup } from './rule-schema.ts';

/** What a lookup of one rule did not find. */
interface Missed {
  lookup: Lookup;
  count: number;
  example: string;
}

/** Counts the keys for which the lookups of a mapping find nothing. */
export class MissedKeys {
  readonly #missed: Missed[] = [];

  /** Returns these lookups, whose tables count what they do not find. */
  counting(lookups: Lookups): Lookups {
    return (lookup): LookupTable => {
      const table = lookups(lookup);
      const missed: Missed = { lookup, count: 0, example: '' };
      this.#missed.push(missed);
      return {
        get(key) {
          const rows = table.get(key);
          if (rows === undefined && missed.count++ === 0) {
            missed.example = describe(key);
          }
          return rows;
        },
      };
    };
  }

  /** Forgets what was counted, before a file is read. */
  reset(): void {
    for (const missed of this.#missed) {
      missed.count = 0;
    }
  }

  /** One line for each lookup that did not find a key. */
  notes(): string[] {
    const notes = this.#missed
      .filter(({ count }) => count > 0)
      .map(({ lookup: { file, key, take }, count, example }) => {
        const keys = count === 1 ? 'a key' : `${count} keys`;
        const such = count === 1 ? example : `such as ${example}`;
        const what = take === undefined ? 'no row' : `no "${take}"`;
        return `the side file ${file} has ${what} for ${keys} of "${key}", ${such}`;
      });
    return [...new Set(notes)];
  }
}
