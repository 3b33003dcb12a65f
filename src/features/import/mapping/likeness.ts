import type { Mapping } from './mapping.ts';
import { reader } from './paths.ts';
import { listed, type RuleCompiler } from './sections.ts';

/**
 * Returns how many more records are in the form of the mapping's supplier than in another form; 0 if
 * the records are not the supplier's.
 */
export type Likeness = (format: string, records: readonly object[]) => number;

/**
 * Returns a function that weighs a sample. At least half of the records must have every member of
 * `all`, so that a few faulty records do not hide the form. A record counts for the mapping if it
 * has a member of `any`, or a role that the mapping translates in lower case. It counts against the
 * mapping if it has a member of `none`.
 */
export function likenessTest(mapping: Mapping, compile: RuleCompiler): Likeness {
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

/**
 * Whether an entry of the artist lists that the mapping names has a role in the supplier's words.
 * Stave's own roles are in upper case.
 */
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
      listed(list(record)).some((entry) => {
        const word = typeof entry === 'object' ? role(entry as object) : undefined;
        return typeof word === 'string' && Object.hasOwn(roles, word);
      }),
    );
}
