import { RE2JS } from 're2js';
import { dateReader, hasMonthNames } from '../canonical/release-date.ts';
import { trimmed } from '../canonical/text.ts';
import { parseDuration } from '../canonical/values.ts';
import { parseJson } from '../decode/json-record.ts';
import { describe } from '../record.ts';
import type { Lookup, MappingRule, MappingRuleObject } from './mapping.ts';
import { CellProblem, isNothing, membersOf, type Reader, reader } from './members.ts';
import { decimalText, parsePythonLiteral, repaired } from './texts.ts';

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
  const read =
    rule.join === undefined ? reader(rule.from!) : joiner(rule.join, rule.separator ?? '', lookups);
  const steps: readonly Step[] = stepsOf(rule, lookups);
  return (record) => {
    let value = read(record);
    for (let i = 0; i < steps.length && !isNothing(value); i++) {
      value = steps[i]!(value, record);
    }
    // An empty list stays, because that removes parts of a track.
    return isNothing(value) ? (otherwise ?? (Array.isArray(value) ? [] : undefined)) : value;
  };
}

/** The parts that a rule must have together. */
const NEEDS = [
  ['separator', 'join'],
  ['rate', 'unit'],
  ['monthLanguage', 'form'],
] as const;

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
    .map((entry) => (keepsSpaces ? String(entry) : trimmed(String(entry))))
    .filter((text) => text !== '');
}

/** One part of a rule. Gets the record, too, because a part may read another member. */
type Step = (value: unknown, record: object) => unknown;

function stepsOf(rule: MappingRuleObject, lookups: Lookups): Step[] {
  const context = { rule, lookups, field: membersOf(rule)[0] ?? '' };
  return Object.entries(STEPS).flatMap(([part, make]) => {
    const given = rule[part as keyof MappingRuleObject];
    return given === undefined ? [] : [make(given as never, context)];
  });
}

interface StepContext {
  rule: MappingRuleObject;
  lookups: Lookups;
  /** The first member that the rule reads. */
  field: string;
}

/** The makers of steps by the parts of rules, in the order of the documentation. */
const STEPS: {
  readonly [Part in keyof MappingRuleObject]?: (
    given: NonNullable<MappingRuleObject[Part]>,
    context: StepContext,
  ) => Step;
} = {
  decode: (decode, { field }) => decoder(field, decode),
  pick: (member) => {
    const read = reader(member);
    return forEach((value) =>
      typeof value === 'object' && value !== null ? read(value) : undefined,
    );
  },
  split: (signs, { field }) => splitter(field, signs),
  after: (prefix) =>
    onText((text) => (text.startsWith(prefix) ? text.slice(prefix.length) : undefined)),
  extract: (pattern) => extractor(pattern),
  matches: (pattern) => {
    const expression = compilePattern(pattern);
    return onText((text) => (expression.test(text) ? text : undefined));
  },
  strip: (prefixes) => {
    const starts = [prefixes].flat();
    return onText((text) =>
      text.slice(starts.find((start) => text.startsWith(start))?.length ?? 0),
    );
  },
  stripEnd: (suffixes) => {
    const ends = [suffixes].flat();
    return onText((text) => {
      const length = ends.find((end) => text.endsWith(end))?.length ?? 0;
      return text.slice(0, text.length - length);
    });
  },
  repair: (kinds) => onText((text) => kinds.reduce(repaired, text)),
  lookup: (lookup, { field, lookups }) => lookupStep(field, lookups(lookup)),
  values: (values) => forEach(translator(values)),
  only: (words) => chooser(words, true),
  except: (words) => chooser(words, false),
  first: (isFirst) => (value) =>
    isFirst && Array.isArray(value) ? value.find((entry) => !isNothing(entry)) : value,
  decimal: (sign) => onText((text) => decimalText(text, sign) ?? text),
  form: (forms, { rule }) => dateStep([forms].flat(), rule.monthLanguage),
  unit: (unit, { rule }) => unitStep(unit, rule.rate),
  prefix: (prefix) => affix((text) => `${prefix}${text}`),
  suffix: (suffix) => affix((text) => `${text}${suffix}`),
};

function affix(add: (text: string | number) => string): Step {
  return forEach((value) =>
    typeof value === 'string' || typeof value === 'number' ? add(value) : value,
  );
}

function unitStep(unit: MappingRuleObject['unit'], rate: MappingRuleObject['rate']): Step {
  switch (unit) {
    case 'milliseconds':
      return forEach((value) => (Number.isFinite(Number(value)) ? Number(value) / 1000 : value));
    case 'clock':
      return onText((text) => parseDuration(text) ?? text);
    case 'samples':
      return samplesStep(rate!);
    default:
      return (value) => value;
  }
}

function forEach(step: Step): Step {
  return (value, record) =>
    Array.isArray(value)
      ? value.map((entry) => step(entry, record)).filter((entry) => !isNothing(entry))
      : step(value, record);
}

function onText(step: (text: string) => unknown): Step {
  return forEach((value) => (typeof value === 'string' ? step(value) : value));
}

function decoder(field: string, decode: NonNullable<MappingRuleObject['decode']>): Step {
  const [parse, what] =
    decode === 'json' ? [parseJson, 'JSON'] : [parsePythonLiteral, 'a Python literal'];
  return (value) => {
    try {
      return typeof value === 'string' ? parse(value) : value;
    } catch (error) {
      const reason = error instanceof Error ? `: ${error.message.slice(0, 100)}` : '';
      throw new CellProblem(field, `must be ${what}${reason}`);
    }
  };
}

/** A text of separators alone would take thirty times its size. No list of a record is as long. */
const MAX_PARTS = 10_000;

function splitter(field: string, split: string | readonly string[]): Step {
  const signs = [split].flat();
  return (value) => {
    if (typeof value !== 'string') {
      return value;
    }
    const sign = signs.find((one) => value.includes(one)) ?? signs[0]!;
    const parts = value.split(sign, MAX_PARTS + 1);
    if (parts.length > MAX_PARTS) {
      throw new CellProblem(field, `is cut into more than ${MAX_PARTS} parts by "${sign}"`);
    }
    return parts.map((part) => trimmed(part));
  };
}

/** Compiles an expression that matches in linear time. Throws an Error for an invalid pattern. */
function compilePattern(pattern: string): RE2JS {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = (error as Error).message.replace(/^error parsing regexp: /, '');
    throw new Error(`the pattern "${pattern}" is not valid in RE2 syntax: ${reason}`);
  }
}

function extractor(pattern: string): Step {
  const expression = compilePattern(pattern);
  const groups = expression.groupCount();
  if (groups !== 1) {
    throw new Error(
      `the pattern "${pattern}" of \`extract\` has ${groups} groups in parentheses; it must have one ((?:…) does not count)`,
    );
  }
  return onText((text) => {
    const matcher = expression.matcher(text);
    return matcher.find() ? (matcher.group(1) ?? undefined) : undefined;
  });
}

function translator(values: NonNullable<MappingRuleObject['values']>): Step {
  const table = new Map(
    Object.entries(values).map(([word, ours]) => [word.toLowerCase(), ours] as const),
  );
  const others = table.get('*');
  return (value) => {
    const ours = table.get(trimmed(String(value)).toLowerCase());
    return ours === undefined ? (others === undefined ? value : others) : ours;
  };
}

function chooser(words: readonly string[], isWanted: boolean): Step {
  const known = new Set(words.map((word) => word.toLowerCase()));
  return forEach((value) => {
    const word = typeof value === 'string' ? trimmed(value).toLowerCase() : '';
    return known.has(word) === isWanted ? value : undefined;
  });
}

function dateStep(forms: readonly string[], language: string | undefined): Step {
  const readers = forms.map((form) => dateReader(form, language));
  return forEach((value) => {
    if (typeof value !== 'string' && typeof value !== 'number') {
      return value;
    }
    const text = trimmed(String(value));
    for (const read of readers) {
      const at = read(text);
      if (at !== undefined) {
        return new Date(at).toISOString();
      }
    }
    return value;
  });
}

/** A rate beyond this is a mistake. Studio recordings have up to 768,000 samples per second. */
const MAX_RATE = 100_000_000;

function samplesStep(rate: number | string): Step {
  const readRate = typeof rate === 'number' ? () => rate : reader(rate);
  const field = typeof rate === 'number' ? '' : rate;
  return (value, record) => {
    const perSecond = Number(readRate(record) ?? Number.NaN);
    if (!(perSecond > 0 && perSecond <= MAX_RATE)) {
      throw new CellProblem(field, 'must be the number of samples per second, such as 44100');
    }
    return forEach((samples) => {
      const count = Number(samples);
      return Number.isFinite(count) ? count / perSecond : samples;
    })(value, record);
  };
}

/** What a side file has for each key: whole rows, or one member of them. */
export type LookupTable = Pick<ReadonlyMap<string, readonly unknown[]>, 'get'>;

/** Returns the table of a lookup, which is loaded before the mapping is compiled. */
export type Lookups = (lookup: Lookup) => LookupTable;

/** The lookups of a mapping that comes without side files. Throws an Error. */
export const NO_LOOKUPS: Lookups = ({ file }) => {
  throw new Error(`the side file ${file} of \`lookup\` is not loaded`);
};

/** How many values a rule may find for one record. A record has no longer list. */
const MAX_FOUND = 200;

/** Returns the text by which a key is found: 17 and " 17 " are the same key. */
export function keyText(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number'
    ? trimmed(String(value)) || undefined
    : undefined;
}

/** Replaces each value by what the table has for it. One found value is no list. */
function lookupStep(field: string, table: LookupTable): (value: unknown) => unknown {
  return (value) => {
    const keys: unknown[] = Array.isArray(value) ? value : [value];
    const found: unknown[] = [];
    for (const key of keys) {
      const text = keyText(key);
      const rows = text === undefined ? [] : (table.get(text) ?? []);
      if (found.length + rows.length > MAX_FOUND) {
        throw new CellProblem(field, `finds more than ${MAX_FOUND} values in the side file`);
      }
      found.push(...rows);
    }
    return found.length > 1 ? found : found[0];
  };
}

export class MissedKeys {
  readonly #missed: { lookup: Lookup; count: number; example: string }[] = [];

  /** Returns these lookups, whose tables count what they do not find. */
  counting(lookups: Lookups): Lookups {
    return (lookup): LookupTable => {
      const table = lookups(lookup);
      const missed = { lookup, count: 0, example: '' };
      this.#missed.push(missed);
      return {
        get(key) {
          const rows = table.get(key);
          if (rows === undefined && missed.count++ === 0) {
            missed.example = describe(key);
          }
          return rows;
        },
      };
    };
  }

  reset(): void {
    for (const missed of this.#missed) {
      missed.count = 0;
    }
  }

  notes(): string[] {
    const notes = this.#missed
      .filter(({ count }) => count > 0)
      .map(({ lookup: { file, key, take }, count, example }) => {
        const keys = count === 1 ? 'a key' : `${count} keys`;
        const such = count === 1 ? example : `such as ${example}`;
        const what = take === undefined ? 'no row' : `no "${take}"`;
        return `the side file ${file} has ${what} for ${keys} of "${key}", ${such}`;
      });
    return [...new Set(notes)];
  }
}
