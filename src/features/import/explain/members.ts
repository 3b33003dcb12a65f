import { isObject } from '../../../common/text/json.ts';
import { parentOf } from '../decode/nested.ts';
import type { CompiledMapping } from '../mapping/compile.ts';
import { attempt, isNothing, reader } from '../mapping/members.ts';
import { RECORD_MEMBERS } from '../record.ts';

export interface SampleMember {
  /** Such as `title`, `album.title`, or `artists[].name` for the entries of a list of objects. */
  path: string;
  records: number;
  /** The value of each record that has one. A list of texts or numbers is one value. */
  values: unknown[];
}

/** More members than this, or deeper ones, are not looked at. */
const MAX_MEMBERS = 500;
const MAX_DEPTH = 4;
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
      // Not the list of the records itself.
      if (!Array.isArray(value) || !value.includes(record)) {
        walk({ [name]: value }, PARENT, MAX_DEPTH - 2, add);
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
    const entries = Array.isArray(inner) ? inner.filter(isObject) : [];
    if (depth < MAX_DEPTH && entries.length > 0) {
      for (const entry of entries.slice(0, MAX_ENTRIES)) {
        walk(entry, `${path}[].`, depth + 1, add);
      }
    } else if (depth < MAX_DEPTH && isObject(inner)) {
      walk(inner, `${path}.`, depth + 1, add);
    } else {
      add(path, inner);
    }
  }
}

export interface UnusedMember {
  member: string;
  records: number;
  example: unknown;
}

/** Returns the members of the sample that the mapping, or Stave's own form, does not read. */
export function unusedMembers(
  records: readonly object[],
  mapping: CompiledMapping | null,
): UnusedMember[] {
  const read = mapping === null ? RECORD_MEMBERS : pathsOf(mapping);
  const isRead = (path: string) =>
    read.some((one) => path === one || path.startsWith(`${one}.`) || path.startsWith(`${one}[]`));
  return membersIn(records)
    .filter(({ path }) => !path.startsWith(PARENT) && !isRead(path))
    .map(({ path, records: count, values }) => ({
      member: path,
      records: count,
      example: values[0],
    }));
}

function pathsOf({ named }: CompiledMapping): string[] {
  return named
    .filter(({ where }) => !where.endsWith('.each'))
    .map(({ path, each }) => (each === null ? path.trim() : `${each.path}[].${path}`));
}

export interface LostValues {
  /** The place of the rule, such as `fields.bpm`. */
  rule: string;
  member: string;
  records: number;
  /** The first such value, and the line of its record. */
  example: unknown;
  line: number;
}

/** Texts of lists without entries, of which no rule makes anything. */
const EMPTY_LISTS = ['[]', '{}'];

/** Returns the values of the sample for which a rule of the mapping gives nothing. */
export function lostValues(
  sample: readonly { position: number; value: object }[],
  { named }: CompiledMapping,
): LostValues[] {
  const rules = Map.groupBy(
    named.filter(({ each, where }) => each === null && !where.endsWith('.each')),
    ({ where }) => where,
  );
  return [...rules].flatMap(([rule, members]) => {
    const lost = new Map<string, LostValues>();
    const readers = members.map(({ path }) => ({ path, read: reader(path) }));
    for (const { position, value } of sample) {
      // A rule that fails rejects the record instead.
      if (isNothing(attempt(() => members[0]!.rule(value)))) {
        for (const { path, read } of readers) {
          const example = read(value);
          if (!isNothing(example) && !EMPTY_LISTS.includes(String(example))) {
            const known = lost.get(path) ?? {
              ...{ rule, member: path, records: 0, example, line: position },
            };
            lost.set(path, { ...known, records: known.records + 1 });
          }
        }
      }
    }
    return [...lost.values()];
  });
}
