import { OperatorError } from '../../kernel/operator-error.ts';
import type { Mapping, MappingCredit, MappingRule } from './mapping.ts';
import { compileRule, member, type Reader } from './rule.ts';

/** A mapping made ready to run. */
export interface CompiledMapping {
  name: string;
  mapping: Mapping;
  /** The import record that the supplier's record stands for, not yet validated. Throws CellProblem. */
  toRecord(record: object): Record<string, unknown>;
  /** Whether these first records of a file have the shape that the mapping knows its supplier by. */
  recognises(format: string, sample: readonly object[]): boolean;
  /** Members or columns that it reads, by their outermost name. */
  reads: ReadonlySet<string>;
}

/** Compiles a mapping once into closures; throws OperatorError where a rule cannot work. */
export function compileMapping(mapping: Mapping): CompiledMapping {
  const fields = Object.entries(mapping.fields).map(
    ([name, rule]) => [name, ruleOf(mapping, `fields.${name}`, rule)] as const,
  );
  const credits = (mapping.artists ?? []).map((credit, i) =>
    compileCredit(mapping, `artists[${i}]`, credit),
  );
  const filters = (mapping.filters ?? []).map(
    ({ type, ...rule }, i) => [type, ruleOf(mapping, `filters[${i}]`, rule)] as const,
  );
  const tags = (mapping.tags ?? []).map((rule, i) => ruleOf(mapping, `tags[${i}]`, rule));

  return {
    name: mapping.name,
    mapping,
    reads: readsOf(mapping),
    recognises: recogniser(mapping),
    toRecord(supplied) {
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
          for (const name of listed(read(supplied))) {
            made.push({ type, name });
          }
        }
        record.filters = made;
      }
      if (tags.length > 0) {
        record.tags = tags.flatMap((read) => listed(read(supplied)));
      }
      return record;
    },
  };
}

function ruleOf(mapping: Mapping, where: string, rule: MappingRule): Reader {
  try {
    return compileRule(rule);
  } catch (error) {
    throw new OperatorError(
      `the mapping ${mapping.name} is not as it should be: ${where}: ${(error as Error).message}`,
    );
  }
}

/** Nothing is no entry, one value is one entry; blank texts are left out. */
function listed(value: unknown): unknown[] {
  const entries = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return entries.filter((entry) => entry !== '' && entry !== null && entry !== undefined);
}

type CreditReader = (supplied: object, artists: unknown[]) => void;

function compileCredit(mapping: Mapping, where: string, credit: MappingCredit): CreditReader {
  const part = (name: 'name' | 'role' | 'isPrimary' | 'externalId'): Reader => {
    const rule = credit[name];
    return rule === undefined ? () => undefined : ruleOf(mapping, `${where}.${name}`, rule);
  };
  const [name, role, isPrimary, externalId] = [
    part('name'),
    part('role'),
    part('isPrimary'),
    part('externalId'),
  ];
  const roles = new Map(
    Object.entries(mapping.roles ?? {}).map(([theirs, ours]) => [theirs.toLowerCase(), ours]),
  );
  const one = (from: object, artistName: unknown) => {
    const word = role(from);
    return {
      name: artistName,
      role: typeof word === 'string' ? (roles.get(word.trim().toLowerCase()) ?? word) : word,
      isPrimary: isPrimary(from),
      externalId: externalId(from),
    };
  };
  const { each } = credit;
  if (each === undefined) {
    return (supplied, artists) => {
      for (const artistName of listed(name(supplied))) {
        artists.push(one(supplied, artistName));
      }
    };
  }
  const list = compileRule(each);
  return (supplied, artists) => {
    for (const entry of listed(list(supplied))) {
      // What is no object goes on as it is, and the record's schema says so.
      artists.push(typeof entry === 'object' ? one(entry as object, name(entry as object)) : entry);
    }
  };
}

/**
 * At least half of the sample must have every member of `all`, one of it a member of `any`, and
 * none of it a member of `none`: a few faulty records do not hide a shape.
 */
function recogniser({ recognise }: Mapping): CompiledMapping['recognises'] {
  if (recognise === undefined) {
    return () => false;
  }
  const { formats, all = [], any, none = [] } = recognise;
  return (format, sample) =>
    (formats === undefined || (formats as readonly string[]).includes(format)) &&
    sample.length > 0 &&
    sample.filter((record) => all.every((path) => holds(record, path))).length * 2 >=
      sample.length &&
    (any === undefined || sample.some((record) => any.some((path) => holds(record, path)))) &&
    !sample.some((record) => none.some((path) => holds(record, path)));
}

function holds(record: object, path: string): boolean {
  let value: unknown = record;
  for (const name of path.split('.')) {
    value = member(value, name);
  }
  return value !== undefined;
}

function readsOf(mapping: Mapping): ReadonlySet<string> {
  const rules = [
    ...Object.values(mapping.fields),
    ...(mapping.filters ?? []),
    ...(mapping.tags ?? []),
    ...(mapping.artists ?? []).flatMap(({ each, ...parts }) =>
      each === undefined ? Object.values(parts) : [each],
    ),
  ];
  return new Set(rules.flatMap(pathsOf).map((path) => path.split('.')[0]!));
}

function pathsOf(rule: MappingRule): string[] {
  if (Array.isArray(rule)) {
    return rule.flatMap(pathsOf);
  }
  return typeof rule === 'string' ? [rule] : rule.from === undefined ? [] : [rule.from];
}
