import type { Row } from './csv.ts';

/**
 * The import record that a CSV row in Stave's own columns stands for (decisions §8): empty cells are
 * absent, lists are separated by `|`, artists are `ROLE:Name`, and a list cell that begins with `[`
 * is JSON. What cannot be read stays text, and the record's schema says what is wrong with it.
 */
export function recordOfRow(row: Row): Record<string, unknown> {
  const record: Record<string, unknown> = {};
  for (const column in row) {
    const cell = row[column]!;
    if (cell.trim() !== '' && column !== '__proto__') {
      record[column] = cellValue(column, cell);
    }
  }
  return record;
}

function cellValue(column: string, cell: string): unknown {
  switch (column) {
    case 'songKey':
    case 'tags':
    case 'filters':
      return listOf(cell, splitList);
    case 'artists':
      return listOf(cell, artistsOf);
    case 'hasVocals':
    case 'isPRO':
      return booleanOf(cell);
    default:
      return cell;
  }
}

function listOf(cell: string, read: (cell: string) => unknown): unknown {
  if (!cell.trimStart().startsWith('[')) {
    return read(cell);
  }
  try {
    return JSON.parse(cell);
  } catch {
    return cell;
  }
}

/** The entries of a list cell: separated by `|`, with `\|` for the sign itself and `\\` for a backslash. */
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
      entries.push(entry.trim());
      entry = '';
    } else {
      entry += sign;
    }
  }
  entries.push(entry.trim());
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

/** `ROLE:Name` entries; the first is primary. A colon after anything but a role belongs to the name. */
function artistsOf(cell: string): { name: string; role: string; isPrimary: boolean }[] {
  return splitList(cell).map((entry, index) => {
    const [, prefix, rest] = /^([A-Za-z]+(?:[_ -][A-Za-z]+)*)\s*:(.*)$/s.exec(entry) ?? [];
    const word = prefix?.toUpperCase().replace(/[ -]/g, '_');
    const isRole =
      word !== undefined && (KNOWN_ROLES.has(word) || (prefix === word && prefix.length > 2));
    return {
      name: isRole ? rest!.trim() : entry,
      role: isRole ? word : 'MAIN_ARTIST',
      isPrimary: index === 0,
    };
  });
}

function booleanOf(cell: string): unknown {
  switch (cell.trim().toLowerCase()) {
    case 'true':
    case 'yes':
    case '1':
      return true;
    case 'false':
    case 'no':
    case '0':
      return false;
    default:
      return cell;
  }
}
