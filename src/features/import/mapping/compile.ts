import { OperatorError } from '../../../common/errors.ts';
import { flagOf } from '../canonical/values.ts';
import type { Mapping } from './mapping.ts';
import { CellProblem, membersOf, type Reader, reader, rulesOf } from './members.ts';
import { compileRule, type Lookups, MissedKeys, NO_LOOKUPS } from './rule.ts';
import {
  compileAvailability,
  compileCredit,
  type RuleCompiler,
  regionReader,
  toList,
} from './sections.ts';

export interface CompiledMapping {
  name: string;
  mapping: Mapping;
  /** Makes the import record of a supplier's record, not yet validated. Throws CellProblem. */
  toRecord(record: object): Record<string, unknown>;
  /** What the lookups of `toRecord` did not find. */
  missedKeys: MissedKeys;
  /** Reads what the rows of one track share; null if each row is a track. Throws CellProblem. */
  groupKey: Reader | null;
  likeness: Likeness;
  /** Members or columns that the mapping reads, by full name and by outermost name. */
  reads: ReadonlySet<string>;
  /** The members or columns that can fill one field of the record, named as in `reads`. */
  readsOfField(field: string): readonly string[];
  /** Every member or column that a rule names, with the place of the rule in the mapping. */
  named: readonly NamedMember[];
}

export interface NamedMember {
  path: string;
  /** The list whose entries have the member; null for a member of the record itself. */
  each: { path: string; read: Reader } | null;
  where: string;
  /** The rule itself. Throws CellProblem. */
  rule: Reader;
}

/** Members of the record that are lists, among those that `fields` may fill. */
const LISTS: readonly string[] = ['songKey', 'stems', 'versions'];
const FLAGS: readonly string[] = ['hasVocals', 'isPRO'];

/** Compiles a mapping into closures. Throws OperatorError if a rule is invalid. */
export function compileMapping(mapping: Mapping, lookups: Lookups = NO_LOOKUPS): CompiledMapping {
  const compilerWith =
    (found: Lookups): RuleCompiler =>
    (where, rule) => {
      try {
        return compileRule(rule, found);
      } catch (error) {
        throw new OperatorError(
          `the mapping ${mapping.name} is not as it should be: ${where}: ${(error as Error).message}`,
        );
      }
    };
  const compile = compilerWith(lookups);
  const missedKeys = new MissedKeys();
  const toRecord = compileRecord(mapping, compilerWith(missedKeys.counting(lookups)));
  const { group, fields } = mapping;
  const ids = [fields.id ?? [], fields.externalId ?? []].flat();
  const named = namedBy(mapping, compile);
  const own = named.filter(({ each }) => each === null);
  return {
    name: mapping.name,
    mapping,
    named,
    reads: new Set(own.flatMap(({ path }) => withOutermost(path))),
    readsOfField: (field) => membersOf(mapping.fields[field] ?? []).flatMap(withOutermost),
    likeness: likenessTest(mapping, compile),
    toRecord,
    missedKeys,
    groupKey: group === undefined ? null : compile('group.by', group.by ?? ids),
  };
}

/** Returns a reader of the one value of a list. Throws CellProblem for several. */
function single(field: string, read: Reader): Reader {
  return (record) => {
    const value = read(record);
    if (!Array.isArray(value)) {
      return value;
    }
    if (value.length > 1) {
      throw new CellProblem(
        field,
        `takes one value, but the list has ${value.length}; write \`"first": true\` in the rule to take the first`,
      );
    }
    return value[0];
  };
}

function compileRecord(mapping: Mapping, compile: RuleCompiler): CompiledMapping['toRecord'] {
  const fields = Object.entries(mapping.fields).map(([name, rule]) => {
    const found = compile(`fields.${name}`, rule);
    const read = LISTS.includes(name) ? found : single(name, found);
    if (name === 'region') {
      return [name, regionReader(rule, read)] as const;
    }
    return [name, FLAGS.includes(name) ? (record: object) => flagOf(read(record)) : read] as const;
  });
  const credits = (mapping.artists ?? []).map((credit, i) =>
    compileCredit(mapping, `artists[${i}]`, credit, compile),
  );
  const filters = (mapping.filters ?? []).map(
    ({ type, ...rule }, i) => [type, compile(`filters[${i}]`, rule)] as const,
  );
  const tags = (mapping.tags ?? []).map((rule, i) => compile(`tags[${i}]`, rule));
  const availability = (mapping.availability ?? []).map((rules, i) =>
    compileAvailability(`availability[${i}]`, rules, compile),
  );
  return (supplied) => {
    const record: Record<string, unknown> = {};
    for (let i = 0; i < fields.length; i++) {
      const [name, read] = fields[i]!;
      const value = read(supplied);
      // An empty name is kept, so that it is rejected as empty and not as missing.
      if (value !== undefined && (value !== '' || name === 'name')) {
        record[name] = value;
      }
    }
    if (credits.length > 0) {
      const artists: unknown[] = [];
      for (const read of credits) {
        read(supplied, artists);
      }
      record.artists = artists;
    }
    if (filters.length > 0) {
      const made: unknown[] = [];
      for (const [type, read] of filters) {
        for (const name of toList(read(supplied))) {
          made.push({ type, name });
        }
      }
      record.filters = made;
    }
    if (tags.length > 0) {
      record.tags = tags.flatMap((read) => toList(read(supplied)));
    }
    const entries: unknown[] = [];
    for (const read of availability) {
      read(supplied, entries);
    }
    // Without an entry, the stored availability stays: an empty list would remove all limits.
    if (entries.length > 0) {
      record.availability = entries;
    }
    return record;
  };
}

function namedBy(mapping: Mapping, compile: RuleCompiler): NamedMember[] {
  return rulesOf(mapping).flatMap(({ where, rule, each }) => {
    const list =
      each === null ? null : { path: membersOf(each).join(', '), read: compile(where, each) };
    const read = compile(where, rule);
    return membersOf(rule).map((path): NamedMember => ({ path, each: list, where, rule: read }));
  });
}

/** Returns the name `a.b` and its outermost name `a`, because `a.b` may be one member or two. */
function withOutermost(path: string): string[] {
  return path.includes('.') ? [path, path.slice(0, path.indexOf('.'))] : [path];
}

/** Returns how many more records are the supplier's than of another form; 0 if they are not. */
type Likeness = (format: string, records: readonly object[]) => number;

/**
 * Returns a function that weighs a sample. At least half of the records must have every member of
 * `all`, so that a few faulty records do not hide the form. A record counts for the mapping if it
 * has a member of `any`, or a role that the mapping translates in lower case. It counts against the
 * mapping if it has a member of `none`.
 */
function likenessTest(mapping: Mapping, compile: RuleCompiler): Likeness {
  const { recognize } = mapping;
  if (recognize === undefined) {
    return () => 0;
  }
  const { formats, all = [], any, none = [] } = recognize;
  const isOf = (paths: readonly string[]) => {
    const readers = paths.map(reader);
    return (record: object) => readers.some((read) => read(record) !== undefined);
  };
  const needed = all.map(reader);
  const speaksFor = isOf(any ?? all);
  const speaksAgainst = isOf(none);
  const hasRole = roleTest(mapping, compile);
  return (format, records) => {
    const isKnown = formats === undefined || (formats as readonly string[]).includes(format);
    const whole = records.filter((record) => needed.every((read) => read(record) !== undefined));
    if (!isKnown || whole.length * 2 < records.length) {
      return 0;
    }
    let balance = 0;
    for (const record of whole) {
      if (speaksAgainst(record)) {
        balance--;
      } else if (speaksFor(record) || hasRole(record)) {
        balance++;
      }
    }
    return Math.max(0, balance);
  };
}

/** Whether an artist of the record has a role in the supplier's words. Stave's own are in upper case. */
function roleTest(
  { artists = [], roles = {} }: Mapping,
  compile: RuleCompiler,
): (record: object) => boolean {
  const lists = artists.flatMap(({ each, role }, i) =>
    each === undefined || role === undefined
      ? []
      : [
          {
            list: compile(`artists[${i}].each`, each),
            role: compile(`artists[${i}].role`, role),
          },
        ],
  );
  return (record) =>
    lists.some(({ list, role }) =>
      toList(list(record)).some((entry) => {
        const word = typeof entry === 'object' ? role(entry as object) : undefined;
        return typeof word === 'string' && Object.hasOwn(roles, word);
      }),
    );
}
