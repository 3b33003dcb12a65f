import { parentOf } from '../decode/place.ts';
import { isNothing } from '../mapping/steps.ts';
import { isRecord } from '../sample.ts';

/** A member or column that records of a sample have. */
export interface SampleMember {
  /** Such as `title`, `album.title`, or `artists[].name` for the entries of a list of objects. */
  path: string;
  /** How many records have a value for it. */
  records: number;
  /** The value of each record that has one. A list of texts or numbers is one value. */
  values: unknown[];
}

/** More members than this, or deeper ones, are not looked at. */
const MAX_MEMBERS = 500;
const MAX_DEPTH = 4;
/** Entries of a list that show its members. */
const MAX_ENTRIES = 20;
const MAX_NAME_LENGTH = 200;

/** The prefix of the members of the object that holds the list of the records. */
export const PARENT = '$parent.';

/** Returns the members of records that have a value in one of them, in the order of their first use. */
export function membersIn(records: readonly object[]): SampleMember[] {
  const members = new Map<string, SampleMember>();
  for (const record of records) {
    const seen = new Set<string>();
    const add = (path: string, value: unknown) => {
      let member = members.get(path);
      if (member === undefined) {
        if (members.size >= MAX_MEMBERS) {
          return;
        }
        member = { path, records: 0, values: [] };
        members.set(path, member);
      }
      if (!seen.has(path)) {
        seen.add(path);
        member.records++;
        member.values.push(value);
      }
    };
    walk(record, '', 0, add);
    const parent = parentOf(record);
    for (const [name, value] of Object.entries(parent ?? {})) {
      if (!isNothing(value) && typeof value !== 'object' && name.length <= MAX_NAME_LENGTH) {
        add(`${PARENT}${name}`, value);
      }
    }
  }
  return [...members.values()];
}

function walk(
  value: object,
  prefix: string,
  depth: number,
  add: (path: string, value: unknown) => void,
): void {
  for (const [name, inner] of Object.entries(value)) {
    if (name === '' || name.length > MAX_NAME_LENGTH || isNothing(inner)) {
      continue;
    }
    const path = `${prefix}${name}`;
    const entries = Array.isArray(inner) ? inner.filter(isRecord) : [];
    if (depth < MAX_DEPTH && entries.length > 0) {
      for (const entry of entries.slice(0, MAX_ENTRIES)) {
        walk(entry, `${path}[].`, depth + 1, add);
      }
    } else if (depth < MAX_DEPTH && isRecord(inner)) {
      walk(inner, `${path}.`, depth + 1, add);
    } else {
      add(path, inner);
    }
  }
}
