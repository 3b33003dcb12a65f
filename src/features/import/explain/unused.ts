import { CellProblem } from '../mapping/cell-problem.ts';
import type { CompiledMapping, NamedMember } from '../mapping/compile.ts';
import { reader } from '../mapping/paths.ts';
import { isNothing } from '../mapping/steps.ts';
import { RECORD_MEMBERS } from '../record.ts';
import { membersIn, PARENT } from './members.ts';

/** A member that nothing uses. */
export interface UnusedMember {
  member: string;
  /** How many records of the sample have a value for it. */
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

/** Values that a rule reads and makes nothing of. */
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
      if (givesNothing(members[0]!, value)) {
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

/** Whether the rule has no value for a record. A rule that fails rejects the record instead. */
function givesNothing({ rule }: NamedMember, record: object): boolean {
  try {
    return isNothing(rule(record));
  } catch (error) {
    if (error instanceof CellProblem) {
      return false;
    }
    throw error;
  }
}
