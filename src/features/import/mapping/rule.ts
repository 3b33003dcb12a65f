import { hasMonthNames } from '../canonical/month-names.ts';
import { CellProblem } from './cell-problem.ts';
import type { Lookups } from './lookups.ts';
import { membersOf } from './members.ts';
import { type Reader, reader } from './paths.ts';
import type { MappingRule, MappingRuleObject } from './rule-schema.ts';
import { isNothing, type Step, stepsOf } from './steps.ts';

/**
 * Compiles a rule of a mapping into one function. The steps run in the order of the documentation.
 * Each step except `pick` and `split` applies to every entry of a list. Throws an Error if the rule
 * is invalid.
 */
export function compileRule(rule: MappingRule, lookups: Lookups): Reader {
  if (typeof rule === 'string') {
    return reader(rule);
  }
  if (Array.isArray(rule)) {
    const alternatives = rule.map((one) => compileRule(one, lookups));
    return (record) => {
      for (const read of alternatives) {
        const value = read(record);
        if (!isNothing(value)) {
          return value;
        }
      }
      return undefined;
    };
  }
  refuseContradictions(rule);
  const { constant, default: otherwise } = rule;
  if (constant !== undefined) {
    return () => constant;
  }
  const read = sourceOf(rule, lookups);
  const steps: readonly Step[] = stepsOf(rule, lookups);
  return (record) => {
    let value = read(record);
    for (let i = 0; i < steps.length && !isNothing(value); i++) {
      value = steps[i]!(value, record);
    }
    // An empty list stays, because that removes parts of a track.
    return isNothing(value) ? (otherwise ?? emptyList(value)) : value;
  };
}

/** The parts that a rule must have together. */
const NEEDS: readonly (readonly [
  part: keyof MappingRuleObject,
  needed: keyof MappingRuleObject,
])[] = [
  ['separator', 'join'],
  ['rate', 'unit'],
  ['monthLanguage', 'form'],
];

function refuseContradictions(rule: MappingRuleObject): void {
  const sources = (['from', 'constant', 'join'] as const).filter((it) => rule[it] !== undefined);
  if (sources.length === 0) {
    throw new Error('a rule needs `from`, `constant` or `join`');
  }
  if (sources.length > 1) {
    throw new Error(`a rule takes only one of \`${sources.join('` and `')}\``);
  }
  for (const [part, needed] of NEEDS) {
    if (rule[part] !== undefined && rule[needed] === undefined) {
      throw new Error(`\`${part}\` needs \`${needed}\``);
    }
  }
  if (rule.monthLanguage !== undefined && !hasMonthNames(rule.monthLanguage)) {
    throw new Error(
      `the month names of "${rule.monthLanguage.slice(0, 40)}" are not known: monthLanguage is a language such as de`,
    );
  }
  if ((rule.unit === 'samples') !== (rule.rate !== undefined)) {
    throw new Error('`"unit": "samples"` and `rate` need each other');
  }
}

function sourceOf(rule: MappingRuleObject, lookups: Lookups): Reader {
  return rule.join === undefined
    ? reader(rule.from!)
    : joiner(rule.join, rule.separator ?? '', lookups);
}

/** The longest joined text. A member of a record can be very long, and many parts can repeat it. */
const MAX_JOINED_LENGTH = 10_000;

function joiner(parts: readonly MappingRule[], separator: string, lookups: Lookups): Reader {
  const readers = parts.map((part, i) => {
    try {
      return compileRule(part, lookups);
    } catch (error) {
      throw new Error(`join[${i}]: ${(error as Error).message}`);
    }
  });
  const field = parts.flatMap(membersOf)[0] ?? '';
  return (record) => {
    const texts: string[] = [];
    let length = 0;
    for (const [i, read] of readers.entries()) {
      const value = read(record);
      // A part whose default is an empty text is left out.
      const isLeftOut = value === '';
      const found = isLeftOut ? [] : textsOf(value, hasAffix(parts[i]!));
      if (found.length === 0 && !isLeftOut) {
        return undefined;
      }
      for (const text of found) {
        length += text.length + separator.length;
        if (length > MAX_JOINED_LENGTH) {
          throw new CellProblem(
            field,
            `gives a joined text of more than ${MAX_JOINED_LENGTH} characters`,
          );
        }
        texts.push(text);
      }
    }
    return texts.join(separator);
  };
}

/** Whether a rule adds a prefix or a suffix, whose white space counts. */
function hasAffix(rule: MappingRule): boolean {
  return (
    typeof rule === 'object' && !Array.isArray(rule) && (rule.prefix ?? rule.suffix) !== undefined
  );
}

/** Returns the texts of a value or of a list, by default without white space at their ends. */
function textsOf(value: unknown, keepsSpaces: boolean): string[] {
  const entries: unknown[] = Array.isArray(value) ? value : [value];
  return entries
    .filter((entry) => ['string', 'number', 'boolean'].includes(typeof entry))
    .map((entry) => (keepsSpaces ? String(entry) : String(entry).trim()))
    .filter((text) => text !== '');
}

function emptyList(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? [] : undefined;
}
