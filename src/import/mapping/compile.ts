import { OperatorError } from '../../common/operator-error.ts';
import type { Mapping, MappingCredit, MappingRule } from './mapping.ts';
import { compileRule, type Reader, reader } from './rule.ts';

/** A compiled mapping. */
export interface CompiledMapping {
  name: string;
  mapping: Mapping;
  /** Makes the import record of a supplier's record, not yet validated. Throws CellProblem. */
  toRecord(record: object): Record<string, unknown>;
  /**
   * Returns how many more records are in the form of the mapping's supplier than in another form; 0
   * if the records are not the supplier's.
   */
  likeness(format: string, records: readonly object[]): number;
  /** Members or columns that the mapping reads, by full name and by outermost name. */
  reads: ReadonlySet<string>;
  /** The members or columns that can fill one field of the record, named as in `reads`. */
  readsOfField(field: string): readonly string[];
  /** Every member or column that a rule names, with the place of the rule in the mapping. */
  named: readonly NamedMember[];
}

/** A member or column of the supplier, as a rule names it. */
export interface NamedMember {
  path: string;
  /** The list whose entries have the member; null for a member of the record itself. */
  each: string | null;
  /** The place of the rule, such as `fields.name`. */
  where: string;
}

/** Compiles a mapping into closures. Throws OperatorError if a rule is invalid. */
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

  const named = namedBy(mapping);

  return {
    name: mapping.name,
    mapping,
    named,
    reads: new Set(named.map(({ path, each }) => each ?? path).flatMap(withOutermost)),
    readsOfField: (field) => pathsOf(mapping.fields[field] ?? []).flatMap(withOutermost),
    likeness: likenessTest(mapping),
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

/**
 * Converts a value to a list: no value to no entries, one value to one entry. Omits blank texts.
 */
function listed(value: unknown): unknown[] {
  const entries = Array.isArray(value) ? value : value === undefined ? [] : [value];
  return entries.filter((entry) => entry !== '' && entry !== null && entry !== undefined);
}

type CreditReader = (supplied: object, artists: unknown[]) => void;

function compileCredit(mapping: Mapping, where: string, credit: MappingCredit): CreditReader {
  const part = (name: Exclude<keyof MappingCredit, 'each'>): Reader => {
    const rule = credit[name];
    return rule === undefined ? () => undefined : ruleOf(mapping, `${where}.${name}`, rule);
  };
  const [name, role, isPrimary, externalId] = [
    part('name'),
    part('role'),
    part('isPrimary'),
    part('externalId'),
  ];
  const [ipi, society, sharePercent] = [part('ipi'), part('society'), part('sharePercent')];
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
      ipi: ipi(from),
      society: society(from),
      sharePercent: sharePercent(from),
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
      // An entry that is not an object is kept, so that the check of the record rejects it.
      artists.push(typeof entry === 'object' ? one(entry as object, name(entry as object)) : entry);
    }
  };
}

/**
 * Returns a function that weighs a sample. At least half of the records must have every member of
 * `all`, so that a few faulty records do not hide the form. A record counts for the mapping if it
 * has a member of `any`, or a role that the mapping translates in lower case. It counts against the
 * mapping if it has a member of `none`.
 */
function likenessTest(mapping: Mapping): CompiledMapping['likeness'] {
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
  const hasRole = roleTest(mapping);
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

/**
 * Whether an entry of the artist lists that the mapping names has a role in the supplier's words.
 * Stave's own roles are in upper case.
 */
function roleTest({ artists = [], roles = {} }: Mapping): (record: object) => boolean {
  const lists = artists.flatMap(({ each, role }) =>
    each === undefined || role === undefined
      ? []
      : [{ list: compileRule(each), role: compileRule(role) }],
  );
  return (record) =>
    lists.some(({ list, role }) =>
      listed(list(record)).some((entry) => {
        const word = typeof entry === 'object' ? role(entry as object) : undefined;
        return typeof word === 'string' && Object.hasOwn(roles, word);
      }),
    );
}

function namedBy(mapping: Mapping): NamedMember[] {
  const rules = (where: string, rule: MappingRule | undefined, each: string | null = null) =>
    rule === undefined ? [] : pathsOf(rule).map((path) => ({ path, each, where }));
  return [
    ...Object.entries(mapping.fields).flatMap(([name, rule]) => rules(`fields.${name}`, rule)),
    ...(mapping.artists ?? []).flatMap(({ each, ...parts }, i) => [
      ...rules(`artists[${i}].each`, each),
      ...Object.entries(parts).flatMap(([name, rule]) =>
        rules(`artists[${i}].${name}`, rule, each ?? null),
      ),
    ]),
    ...(mapping.filters ?? []).flatMap((rule, i) => rules(`filters[${i}]`, rule)),
    ...(mapping.tags ?? []).flatMap((rule, i) => rules(`tags[${i}]`, rule)),
  ];
}

/** Returns the name `a.b` and its outermost name `a`, because `a.b` may be one member or two. */
function withOutermost(path: string): string[] {
  return path.includes('.') ? [path, path.slice(0, path.indexOf('.'))] : [path];
}

function pathsOf(rule: MappingRule): string[] {
  if (Array.isArray(rule)) {
    return rule.flatMap(pathsOf);
  }
  return typeof rule === 'string' ? [rule] : rule.from === undefined ? [] : [rule.from];
}
