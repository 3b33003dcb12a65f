import { RE2JS } from 're2js';
import { parseDuration } from '../canonical/durations.ts';
import { dateReader } from '../canonical/release-date.ts';
import { parseJson } from '../decode/json-record.ts';
import { CellProblem } from './cell-problem.ts';
import { type Lookups, lookupStep } from './lookups.ts';
import { membersOf } from './members.ts';
import { decimalText } from './numbers.ts';
import { reader } from './paths.ts';
import { parsePythonLiteral } from './python-literal.ts';
import { type Repair, repaired } from './repairs.ts';
import type { MappingRuleObject } from './rule-schema.ts';

/** One part of a rule. Gets the record, too, because a part may read another member. */
export type Step = (value: unknown, record: object) => unknown;

/** Whether a value counts as absent: blank texts and empty lists do. */
export function isNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (typeof value === 'string' && value.trim() === '') ||
    (Array.isArray(value) && value.length === 0)
  );
}

/** Returns the steps of a rule, in the order of the documentation. */
export function stepsOf(rule: MappingRuleObject, lookups: Lookups): Step[] {
  const field = membersOf(rule)[0] ?? '';
  const { decode, pick, split, lookup, values, only, except, prefix, suffix } = rule;
  const steps: Step[] = [];
  if (decode !== undefined) {
    steps.push(decoder(field, decode));
  }
  if (pick !== undefined) {
    const read = reader(pick);
    steps.push(
      forEach((value) => (typeof value === 'object' && value !== null ? read(value) : undefined)),
    );
  }
  if (split !== undefined) {
    steps.push(splitter(field, split));
  }
  steps.push(...cuttingSteps(rule));
  for (const kind of rule.repair ?? []) {
    steps.push(onText((text) => repaired(text, kind as Repair)));
  }
  if (lookup !== undefined) {
    steps.push(lookupStep(field, lookups(lookup)));
  }
  if (values !== undefined) {
    steps.push(forEach(translator(values)));
  }
  if (only !== undefined || except !== undefined) {
    steps.push(chooser(only, except));
  }
  if (rule.first === true) {
    steps.push((value) =>
      Array.isArray(value) ? value.find((entry) => !isNothing(entry)) : value,
    );
  }
  steps.push(...measuringSteps(rule));
  if (prefix !== undefined || suffix !== undefined) {
    steps.push(
      forEach((value) =>
        typeof value === 'string' || typeof value === 'number'
          ? `${prefix ?? ''}${value}${suffix ?? ''}`
          : value,
      ),
    );
  }
  return steps;
}

/** The steps that take a part of a text. */
function cuttingSteps({ after, extract, matches, strip, stripEnd }: MappingRuleObject): Step[] {
  const steps: Step[] = [];
  if (after !== undefined) {
    steps.push(onText((text) => (text.startsWith(after) ? text.slice(after.length) : undefined)));
  }
  if (extract !== undefined) {
    steps.push(extractor(extract));
  }
  if (matches !== undefined) {
    const expression = compilePattern(matches);
    steps.push(onText((text) => (expression.test(text) ? text : undefined)));
  }
  if (strip !== undefined) {
    const starts = [strip].flat();
    steps.push(
      onText((text) => text.slice(starts.find((start) => text.startsWith(start))?.length ?? 0)),
    );
  }
  if (stripEnd !== undefined) {
    const ends = [stripEnd].flat();
    steps.push(
      onText((text) => {
        const length = ends.find((end) => text.endsWith(end))?.length ?? 0;
        return text.slice(0, text.length - length);
      }),
    );
  }
  return steps;
}

/** The steps that read a number, a date or a duration. */
function measuringSteps({ decimal, form, monthLanguage, unit, rate }: MappingRuleObject): Step[] {
  const steps: Step[] = [];
  if (decimal !== undefined) {
    steps.push(onText((text) => decimalText(text, decimal) ?? text));
  }
  if (form !== undefined) {
    steps.push(dateStep(typeof form === 'string' ? [form] : form, monthLanguage));
  }
  if (unit === 'milliseconds') {
    steps.push(forEach((value) => (Number.isFinite(Number(value)) ? Number(value) / 1000 : value)));
  } else if (unit === 'clock') {
    steps.push(onText((text) => parseDuration(text) ?? text));
  } else if (unit === 'samples') {
    steps.push(samplesStep(rate!));
  }
  return steps;
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

/**
 * More entries than any list of a record has. A text of separators alone would take thirty times
 * its size.
 */
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
    return parts.map((part) => part.trim());
  };
}

/**
 * Compiles a regular expression that matches in time linear in the text. Throws an Error for an
 * invalid pattern.
 */
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

function dateStep(forms: readonly string[], language: string | undefined): Step {
  const readers = forms.map((form) => dateReader(form, language));
  return forEach((value) => {
    if (typeof value !== 'string' && typeof value !== 'number') {
      return value;
    }
    const text = String(value).trim();
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
