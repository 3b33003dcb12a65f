import { trimmed } from '../canonical/text.ts';
import { keyOf, parentOf } from '../decode/nested.ts';
import type { Lookup, Mapping, MappingRule, MappingRuleObject } from './mapping.ts';

export interface PlacedRule {
  where: string;
  rule: MappingRule;
  /** The rule of the list whose entries this rule reads; null if it reads the record itself. */
  each: MappingRule | null;
}

/** Returns the rules in their full form of which a rule consists. */
function partsOf(rule: MappingRule): MappingRuleObject[] {
  if (typeof rule === 'string') return [{ from: rule }];
  return Array.isArray(rule)
    ? rule.flatMap(partsOf)
    : [...(rule.join ?? []).flatMap(partsOf), rule];
}

export function membersOf(rule: MappingRule): string[] {
  return partsOf(rule).flatMap(({ from, rate }) =>
    [from, rate].filter((member) => typeof member === 'string'),
  );
}

export function lookupsOf(rule: MappingRule): Lookup[] {
  return partsOf(rule).flatMap(({ lookup }) => lookup ?? []);
}

export function rulesOf(mapping: Mapping): PlacedRule[] {
  const rules: PlacedRule[] = [];
  const add = (where: string, rule: MappingRule, each: MappingRule | null = null) =>
    rules.push({ where, rule, each });
  for (const [name, rule] of Object.entries(mapping.fields)) {
    add(`fields.${name}`, rule);
  }
  for (const section of ['artists', 'availability'] as const) {
    for (const [i, { each, ...parts }] of (mapping[section] ?? []).entries()) {
      if (each !== undefined) {
        add(`${section}[${i}].each`, each);
      }
      for (const [name, rule] of Object.entries(parts)) {
        add(`${section}[${i}].${name}`, rule, each ?? null);
      }
    }
  }
  for (const [i, { type: _, ...rule }] of (mapping.filters ?? []).entries()) {
    add(`filters[${i}]`, rule);
  }
  for (const [i, rule] of (mapping.tags ?? []).entries()) {
    add(`tags[${i}]`, rule);
  }
  if (mapping.group?.by !== undefined) {
    add('group.by', mapping.group.by);
  }
  return rules;
}

/** Reads one value of a supplier's record; undefined if there is none. */
export type Reader = (record: object) => unknown;

/** The names by which a path reaches the parent of a nested record, and its key or place in it. */
const PARENT_NAME = '$parent';
const KEY_NAME = '$key';

/** A path with more names is one name with dots, because the names can be combined in many ways. */
const MAX_NAMES = 12;

/**
 * Returns a reader of the member `a.b`, or if there is none, of `b` in `a`. Each name may contain
 * dots itself. If no member has the spaces at the ends of the path, reads the member without them.
 * Reads own members only.
 */
export function reader(path: string): Reader {
  const read = exactReader(path);
  const name = path.trim();
  if (name === path) {
    return read;
  }
  const readTrimmed = exactReader(name);
  return (record) => read(record) ?? readTrimmed(record);
}

function exactReader(path: string): Reader {
  const names = path.split('.');
  if (names.length === 1 || names.length > MAX_NAMES) {
    return (record) => member(record, path);
  }
  // joined[i] has the names from i on, the longest first, each with the number of names after it.
  const joined = names.map((_, from) =>
    names.slice(from).map((_, less) => ({
      name: names.slice(from, names.length - less).join('.'),
      next: names.length - less,
    })),
  );
  const find = (value: unknown, from: number): unknown => {
    if (from === names.length) {
      return value;
    }
    for (const { name, next } of joined[from]!) {
      const inner = member(value, name);
      const found = inner === undefined ? undefined : find(inner, next);
      if (found !== undefined) {
        return found;
      }
    }
    return undefined;
  };
  return (record) => find(record, 0);
}

/** Returns an own member of an object; undefined for anything else. */
function member(value: unknown, name: string): unknown {
  if (typeof value !== 'object' || value === null) {
    return undefined;
  }
  if (Object.hasOwn(value, name)) {
    return (value as Record<string, unknown>)[name];
  }
  return name === PARENT_NAME ? parentOf(value) : name === KEY_NAME ? keyOf(value) : undefined;
}

/** Returns a function that finds the first member of a rule that has a value in a record, whatever the rule makes of it. */
export function givenMember(rule: MappingRule = []): (record: object) => string | undefined {
  const sources = membersOf(rule).map((path) => ({ path, read: reader(path) }));
  return (record) => sources.find(({ read }) => !isNothing(read(record)))?.path;
}

/** A reader throws this if a value is not in the form that the mapping names. */
export class CellProblem extends Error {
  readonly field: string;

  constructor(field: string, message: string) {
    super(message);
    this.name = 'CellProblem';
    this.field = field;
  }
}

/** Whether a value counts as absent: blank texts and empty lists do. */
export function isNothing(value: unknown): boolean {
  return (
    value === undefined ||
    value === null ||
    (typeof value === 'string' && trimmed(value) === '') ||
    (Array.isArray(value) && value.length === 0)
  );
}

export function attempt<T>(make: () => T): T | CellProblem {
  try {
    return make();
  } catch (error) {
    if (error instanceof CellProblem) return error;
    throw error;
  }
}
