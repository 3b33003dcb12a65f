import type { FilterType } from '../../catalog/filter.ts';
import type { DeliveredFilter } from '../../catalog/track.ts';
import { FILTER_TYPES } from '../../catalog/track-fields.ts';
import { describe, type ImportRecord } from '../record.ts';
import { canonicalText, MAX_WORD_LENGTH, type Report } from './text.ts';

const MAX_FILTERS = 100;

/**
 * Returns the filters of a record without duplicates; `"genre:Ambient"` is short for the object.
 */
export function canonicalFilters(
  given: ImportRecord['filters'],
  report: Report,
): DeliveredFilter[] {
  if (given === undefined || given === null) {
    return [];
  }
  if (given.length > MAX_FILTERS) {
    report('filters', `must list ${MAX_FILTERS} at most; it lists ${given.length}`);
    return [];
  }
  const filters: DeliveredFilter[] = [];
  for (let i = 0; i < given.length; i++) {
    const entry = given[i]!;
    const isShort = typeof entry === 'string';
    const colon = isShort ? entry.indexOf(':') : 0;
    if (isShort && colon < 0) {
      report(`filters[${i}]`, `must be of the form "genre:Ambient"; it is ${describe(entry)}`);
      continue;
    }
    const type = filterType(isShort ? entry.slice(0, colon) : entry.type);
    if (type === undefined) {
      report(
        `filters[${i}].type`,
        `must be one of ${FILTER_TYPES.join(', ')}; it is ${describe(isShort ? entry.slice(0, colon) : entry.type)}`,
      );
      continue;
    }
    const text = isShort ? entry.slice(colon + 1) : entry.name;
    const name = canonicalText(text, `filters[${i}].name`, MAX_WORD_LENGTH, report);
    if (name === '') {
      report(`filters[${i}].name`, 'must not be empty');
      continue;
    }
    if (!filters.some((other) => other.type === type && sameName(other.name, name))) {
      filters.push({ type, name });
    }
  }
  return filters;
}

function sameName(one: string, other: string): boolean {
  return (
    one === other || (one.length === other.length && one.toLowerCase() === other.toLowerCase())
  );
}

function filterType(word: string): FilterType | undefined {
  return word === 'genre' || word === 'mood' || word === 'use-case'
    ? word
    : FILTER_TYPES.find(
        (type) =>
          type ===
          word
            .trim()
            .toLowerCase()
            .replace(/[\s_]+/g, '-'),
      );
}
