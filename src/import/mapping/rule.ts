import { RE2JS } from 're2js';
import { dateReader } from '../canonical/release-date.ts';
import { parseJson } from '../decode/json-record.ts';
import type { MappingRule, MappingRuleObject } from './mapping.ts';
import { parsePythonLiteral } from './python-literal.ts';
import { type Repair, repaired } from './repairs.ts';

/** Reads one value of a supplier's record; undefined if there is none. */
export type Reader = (record: object) => unknown;

type Step = (value: unknown) => unknown;

/** A reader throws this if a text is not in the form that the mapping names. */
export class CellProblem extends Error {
  /** The member or column of the supplier. */
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = 'CellProblem';
    this.field = field;
  }
}

/**
 * Compiles a rule of a mapping into one function. The steps run in the order of the documentation.
 * Each step except `pick` and `split` applies to every entry of a list. Throws an Error if the rule
 * is invalid.
 */
export function compileRule(rule: MappingRule): Reader {
  if (typeof rule === 'string') {
    return reader(rule);
  }
  if (Array.isArray(rule)) {
    const alternatives = rule.map(compileRule);
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
  const { constant, default: otherwise } = rule;
  if (constant !== undefined) {
    return () => constant;
  }
  if (rule.from === undefined) {
    throw new Error('a rule needs `from` or `constant`');
  }
  const read = reader(rule.from);
  const steps = stepsOf(rule);
  return (record) => {
    let value = read(record);
    for (let i = 0; i < steps.length && !isNothing(value); i++) {
      value = steps[i]!(value);
    }
    // An empty list stays, because that removes parts of a track.
    return isNothing(value) ? (otherwise ?? emptyList(value)) : value;
  };
}

/**
 * Returns a reader of the member `a.b`, or if there is none, of `b` in `a`. Reads own members only.
 */
export function reader(path: string): Reader {
  const names = path.split('.');
  if (names.length === 1) {
    return (record) => member(record, path);
  }
  return (record) => {
    if (Object.hasOwn(record, path)) {
      return member(record, path);
    }
    let value: unknown = record;
    for (const name of names) {
      value = member(value, name);
    }
    return value;
  };
}

/**
 * Returns an own member of an object; undefined if the value is not an object or lacks the member.
 */
function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}

function isNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (typeof value === 'string' && value.trim() === '') ||
    (Array.isArray(value) && value.length === 0)
  );
}

function emptyList(value: unknown): unknown[] | undefined {
  return Array.isArray(value) ? [] : undefined;
}

function stepsOf(rule: MappingRuleObject): Step[] {
  const { decode, pick, split, after, matches, strip, prefix } = rule;
  const { repair, values, only, except, form, unit } = rule;
  const steps: Step[] = [];
  if (decode !== undefined) {
    steps.push(decoder(rule.from ?? '', decode));
  }
  if (pick !== undefined) {
    steps.push(forEach((value) => member(value, pick)));
  }
  if (split !== undefined) {
    steps.push(splitter(rule.from ?? '', split));
  }
  if (after !== undefined) {
    steps.push(onText((text) => (text.startsWith(after) ? text.slice(after.length) : undefined)));
  }
  if (matches !== undefined) {
    const expression = compilePattern(matches);
    steps.push(onText((text) => (expression.test(text) ? text : undefined)));
  }
  if (strip !== undefined) {
    steps.push(onText((text) => (text.startsWith(strip) ? text.slice(strip.length) : text)));
  }
  for (const kind of repair ?? []) {
    steps.push(onText((text) => repaired(text, kind as Repair)));
  }
  if (values !== undefined) {
    steps.push(forEach(translator(values)));
  }
  if (only !== undefined || except !== undefined) {
    steps.push(chooser(only, except));
  }
  if (form !== undefined) {
    steps.push(onText(dateStep(typeof form === 'string' ? [form] : form)));
  }
  if (unit === 'milliseconds') {
    steps.push(forEach((value) => (Number.isFinite(Number(value)) ? Number(value) / 1000 : value)));
  } else if (unit === 'clock') {
    steps.push(onText(clockSeconds));
  }
  if (prefix !== undefined) {
    steps.push(
      forEach((value) =>
        typeof value === 'string' || typeof value === 'number' ? `${prefix}${value}` : value,
      ),
    );
  }
  return steps;
}

function forEach(step: Step): Step {
  return (value) =>
    Array.isArray(value) ? value.map(step).filter((entry) => !isNothing(entry)) : step(value);
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

/**
 * More entries than any list of a record has. A text of separators alone would take thirty times
 * its size.
 */
const MAX_PARTS = 10_000;

function splitter(field: string, sign: string): Step {
  return (value) => {
    if (typeof value !== 'string') {
      return value;
    }
    const parts = value.split(sign, MAX_PARTS + 1);
    if (parts.length > MAX_PARTS) {
      throw new CellProblem(field, `is cut into more than ${MAX_PARTS} parts by "${sign}"`);
    }
    return parts.map((part) => part.trim());
  };
}

/**
 * Compiles a regular expression that matches in time linear in the text. Throws an Error for an
 * invalid pattern.
 */
function compilePattern(pattern: string): { test(text: string): boolean } {
  try {
    return RE2JS.compile(pattern);
  } catch (error) {
    const reason = (error as Error).message.replace(/^error parsing regexp: /, '');
    throw new Error(`the pattern "${pattern}" is not valid in RE2 syntax: ${reason}`);
  }
}

function translator(values: NonNullable<MappingRuleObject['values']>): Step {
  const table = new Map(
    Object.entries(values).map(([word, ours]) => [word.toLowerCase(), ours] as const),
  );
  const others = table.get('*');
  return (value) => {
    const ours = table.get(String(value).trim().toLowerCase());
    return ours === undefined ? (others === undefined ? value : others) : ours;
  };
}

function chooser(only: readonly string[] | undefined, except: readonly string[] | undefined): Step {
  const wanted = only && new Set(only.map((word) => word.toLowerCase()));
  const unwanted = new Set(except?.map((word) => word.toLowerCase()));
  return forEach((value) => {
    const word = typeof value === 'string' ? value.trim().toLowerCase() : '';
    return (wanted === undefined || wanted.has(word)) && !unwanted.has(word) ? value : undefined;
  });
}

function dateStep(forms: readonly string[]): (text: string) => unknown {
  const readers = forms.map(dateReader);
  return (text) => {
    for (const read of readers) {
      const at = read(text.trim());
      if (at !== undefined) {
        return new Date(at).toISOString();
      }
    }
    return text;
  };
}

/**
 * Converts `3:45` or `1:02:03.5` to seconds. Returns other text unchanged, so that validation
 * rejects it.
 */
function clockSeconds(text: string): unknown {
  const parts = /^(?:(\d{1,4}):)?(\d{1,4}):(\d{1,2}(?:\.\d{1,6})?)$/.exec(text.trim());
  return parts === null
    ? text
    : Number(parts[1] ?? 0) * 3600 + Number(parts[2]) * 60 + Number(parts[3]);
}
