import { trimmed } from '../canonical/text.ts';
import { flagOf, parseDuration } from '../canonical/values.ts';
import type { Row } from './csv.ts';
import { parseJson } from './json-record.ts';

/**
 * Makes the import record of a CSV row in Stave's own columns (docs/contract/import.md#csv). Empty
 * cells are absent, lists are separated by `|`, artists are `ROLE:Name`, and a list cell that
 * begins with `[` is JSON. A cell that cannot be parsed stays text, which the check of the record
 * rejects.
 *
 * @param members the members by the columns that name them in other letters
 */
export function recordOfRow(
  row: Row,
  members?: ReadonlyMap<string, string>,
): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const column in row) {
    const cell = trimmed(row[column]!);
    if (cell !== '' && column !== '__proto__') {
      const member = members?.get(column) ?? column;
      record[member] = cellValue(member, cell);
    }
  }
  return record;
}

/** Returns the member that a cell without white space at its ends stands for. */
export function cellValue(column: string, cell: string): unknown {
  switch (column) {
    case 'songKey':
    case 'tags':
    case 'filters':
      return jsonOf(cell, '[', splitList);
    case 'artists':
      return jsonOf(cell, '[', artistsOf);
    case 'stems':
    case 'versions':
    case 'availability':
      return jsonOf(cell, '[', (text) => text);
    case 'translations':
      return jsonOf(cell, '{', (text) => text);
    case 'hasVocals':
    case 'isPRO':
      return flagOf(cell);
    case 'durationSeconds':
      return parseDuration(cell) ?? cell;
    default:
      return cell;
  }
}

/** Parses a cell that begins with a bracket as JSON, and reads any other. */
function jsonOf(cell: string, bracket: '[' | '{', read: (cell: string) => unknown): unknown {
  if (!cell.trimStart().startsWith(bracket)) {
    return read(cell);
  }
  try {
    return parseJson(cell);
  } catch {
    return cell;
  }
}

/** Splits a list cell at `|`. `\|` stands for `|`, and `\\` for a backslash. */
export function splitList(cell: string): string[] {
  const entries: string[] = [];
  let entry = '';
  for (let i = 0; i < cell.length; i++) {
    const sign = cell[i]!;
    const next = cell[i + 1];
    if (sign === '\\' && (next === '|' || next === '\\')) {
      entry += next;
      i++;
    } else if (sign === '|') {
      entries.push(trimmed(entry));
      entry = '';
    } else {
      entry += sign;
    }
  }
  entries.push(trimmed(entry));
  return entries.filter((text) => text !== '');
}

const KNOWN_ROLES: ReadonlySet<string> = new Set([
  'MAIN_ARTIST',
  'FEATURED_ARTIST',
  'COMPOSER',
  'LYRICIST',
  'PRODUCER',
  'REMIXER',
  'PERFORMER',
  'PUBLISHER',
]);

/** Parses `ROLE:Name` entries; the first artist is primary. Text that is not a role belongs to the name. */
function artistsOf(cell: string): { name: string; role: string; isPrimary: boolean }[] {
  return splitList(cell).map((entry, index) => {
    const [, prefix, rest] = /^([A-Za-z]+(?:[_ -][A-Za-z]+)*)\s*:(.*)$/s.exec(entry) ?? [];
    const word = prefix?.toUpperCase().replace(/[ -]/g, '_');
    const isRole =
      word !== undefined && (KNOWN_ROLES.has(word) || (prefix === word && prefix.length > 2));
    return {
      name: isRole ? trimmed(rest!) : entry,
      role: isRole ? word : 'MAIN_ARTIST',
      isPrimary: index === 0,
    };
  });
}
