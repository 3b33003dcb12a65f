import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import Format from 'typebox/format';
import type { FieldProblem } from '../../../../common/errors.ts';
import { isUuid } from '../../../../common/ids.ts';
import { isObject } from '../../../../common/text/json.ts';
import { counted } from '../../../../common/text/shown.ts';
import { missingDay } from '../../../../common/time.ts';
import { firstMoment, lastMoment } from '../../schemas.ts';
import { BODY, isFull, nameHint, refuse, report, shortened } from '../problems.ts';
import { choicesOf, formatRule, ruleOf, type SchemaNode } from './schema-rules.ts';

/**
 * Checks a value from a request and adds its problems, each with its path (`filterIds[2]`). Sets missing
 * members to the `default` of their schema, in place.
 */
export type Check = (value: unknown, field: string, problems: FieldProblem[]) => void;

const ANNOTATIONS =
  '$id $schema $comment title description examples default deprecated readOnly writeOnly';

/** The keywords that the checks below implement, by the type of schema. */
const IMPLEMENTED: Readonly<Record<string, string>> = {
  choice: 'type enum const anyOf',
  object: 'type properties required additionalProperties',
  array: 'type items minItems maxItems uniqueItems',
  string: 'type minLength maxLength pattern format',
  integer: 'type minimum maximum',
  number: 'type minimum maximum',
  boolean: 'type',
};

/**
 * Compiles the check of a schema, once at the start. `schema-check.md` beside this file lists what a schema
 * may contain, and the messages. TypeBox checks the keywords that are unknown here, with the schema's
 * `x-rule` as the message.
 */
export function compileCheck(schema: TSchema): Check {
  const node = schema as SchemaNode;
  const kind = choicesOf(node) ? 'choice' : String(node.type);
  const implemented = IMPLEMENTED[kind];
  const check = implemented === undefined ? undefined : CHECKS[kind]!(node);
  const known = new Set(`${implemented ?? ''} ${ANNOTATIONS}`.split(' '));
  const isImplemented = Object.keys(node).every((key) => known.has(key) || key.startsWith('x-'));
  if (check !== undefined && isImplemented) {
    return check;
  }
  // The members of such an object depend on keywords that are unknown here.
  return withLibrary(schema, kind === 'object' ? undefined : check);
}

function withLibrary(schema: TSchema, check: Check | undefined): Check {
  const compiled = Compile(schema);
  return (value, field, problems) => {
    const before = problems.length;
    check?.(value, field, problems);
    if (problems.length > before) {
      return;
    }
    if (!compiled.Check(value)) {
      refuse(problems, field, ruleFor(value, schema));
    } else if (holdsBadText(value)) {
      refuse(problems, field, 'not hold NUL or half of a surrogate pair');
    }
  };
}

/** Returns the rule for a refused value. A day that does not exist has the right form, which the rule would repeat. */
function ruleFor(value: unknown, node: SchemaNode, rule = ruleOf(node)): string {
  const day = typeof value === 'string' && isDate(node) ? missingDay(value) : undefined;
  return day === undefined ? (node['x-rule'] ?? rule) : `name a day that exists; ${day} is no date`;
}

function isDate({ format, anyOf = [] }: SchemaNode): boolean {
  return format === 'date' || format === 'date-time' || anyOf.some(isDate);
}

const CHECKS: Readonly<Record<string, (node: SchemaNode) => Check>> = {
  choice: checkChoice,
  object: checkObject,
  array: checkArray,
  string: checkString,
  integer: (node) => checkNumber(node, Number.isInteger),
  number: (node) => checkNumber(node, Number.isFinite),
  boolean: (node) => (value, field, problems) => {
    if (typeof value !== 'boolean') {
      const isQuoted = typeof value === 'string' && /^(?:true|false)$/i.test(value);
      refuseType(problems, field, value, ruleOf(node) + (isQuoted ? WITHOUT_QUOTES : ''));
    }
  },
};

/** Ends the message for a number or a boolean that was sent as a string. */
const WITHOUT_QUOTES = ', without quotes';

function refuseType(problems: FieldProblem[], field: string, value: unknown, rule: string): void {
  refuse(problems, field, value === null && field !== BODY ? 'not be null; leave it out' : rule);
}

function checkChoice(node: SchemaNode): Check {
  const choices = new Set(choicesOf(node));
  return (value, field, problems) => {
    if (!choices.has(value)) {
      const hint = meantHint(value, (word) => choices.has(word), node['x-meant']);
      refuseType(problems, field, value, ruleOf(node) + hint);
    }
  };
}

/** Returns ` (did you mean calm?)` for a text that is valid in another case, or that others use for a valid one. */
function meantHint(
  value: unknown,
  isValid: (text: string) => boolean,
  usual: SchemaNode['x-meant'] = {},
): string {
  if (typeof value !== 'string' || !/^[ -~]*$/.test(value)) return '';
  const upper = value.toUpperCase();
  const meant = usual[upper] ?? [upper, value.toLowerCase()].find(isValid);
  return meant === undefined ? '' : ` (did you mean ${shortened(meant)}?)`;
}

function checkNumber(node: SchemaNode, isOfType: (value: unknown) => boolean): Check {
  const { minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = node;
  return (value, field, problems) => {
    if (!isOfType(value) || (value as number) < minimum || (value as number) > maximum) {
      const isQuoted = typeof value === 'string' && /^-?[0-9]+(?:\.[0-9]+)?$/.test(value);
      refuseType(problems, field, value, ruleOf(node) + (isQuoted ? WITHOUT_QUOTES : ''));
    }
  };
}

function checkString(node: SchemaNode): Check {
  const ruleBroken = compileTextRule(node);
  return (value, field, problems) => {
    if (typeof value !== 'string') {
      return value === null && node['x-removable']
        ? refuse(problems, field, 'not be null; send "" to remove it')
        : refuseType(problems, field, value, ruleOf(node));
    }
    const rule = ruleBroken(value);
    if (rule !== undefined) {
      const hint = meantHint(value, (text) => ruleBroken(text) === undefined, node['x-meant']);
      refuse(problems, field, ruleFor(value, node, rule) + hint);
    }
  };
}

function checkArray(node: SchemaNode): Check {
  const { minItems = 0, maxItems = Number.POSITIVE_INFINITY, uniqueItems = false } = node;
  const checkItem = node.items === undefined ? undefined : compileCheck(node.items);
  return (value, field, problems) => {
    if (!Array.isArray(value)) {
      return refuseType(problems, field, value, ruleOf(node));
    }
    if (value.length > maxItems) {
      return refuse(
        problems,
        field,
        `hold at most ${counted(maxItems, 'entry', 'entries')}, not ${value.length}`,
      );
    }
    if (value.length < minItems) {
      refuse(problems, field, `hold at least ${counted(minItems, 'entry', 'entries')}`);
    }
    if (uniqueItems && new Set(value.map((item) => JSON.stringify(item))).size < value.length) {
      refuse(problems, field, 'not hold the same entry twice');
    }
    for (let i = 0; checkItem !== undefined && i < value.length; i++) {
      checkItem(value[i], `${field}[${i}]`, problems);
    }
  };
}

/** A member of an object, or a parameter of a URL. */
export interface Member {
  check: Check;
  isRequired: boolean;
  default: unknown;
}

export function compileMembers({ properties = {}, required }: SchemaNode): Map<string, Member> {
  return new Map(
    Object.entries(properties).map(([name, member]) => [
      name,
      {
        check: compileCheck(member),
        isRequired: required?.includes(name) ?? false,
        default: member.default,
      },
    ]),
  );
}

/**
 * Compiles the handling of absent members: those that are required are reported, and others are set to their defaults.
 */
export function compileAbsent(members: ReadonlyMap<string, Member>) {
  const expected = [...members].filter(
    ([, member]) => member.isRequired || member.default !== undefined,
  );
  return (
    object: Record<string, unknown>,
    isGiven: (name: string) => boolean,
    path: (name: string) => string,
    problems: FieldProblem[],
  ): void => {
    for (const [name, member] of expected) {
      if (isGiven(name)) continue;
      if (member.isRequired) report(problems, path(name), `${path(name)} is missing`);
      else object[name] = member.default;
    }
  };
}

/** Refuses unknown members, unless the schema has `additionalProperties: true`. */
function checkObject(node: SchemaNode): Check {
  const members = compileMembers(node);
  const names = [...members.keys()];
  const completeAbsent = compileAbsent(members);
  const others = node.additionalProperties ?? false;
  const checkOther = typeof others === 'object' ? compileCheck(others) : undefined;
  const checkRanges = compileRanges(node);
  const checkMembersBy = compileMembersBy(node);

  return (object, field, problems) => {
    if (!isObject(object)) {
      return refuseType(problems, field, object, ruleOf(node));
    }
    const path = (name: string) => (field === BODY ? name : `${field}.${name}`);
    for (const name of Object.keys(object)) {
      // Finding the nearest name is expensive, and a body can have thousands of unknown ones.
      if (isFull(problems)) {
        break;
      }
      const member = members.get(name);
      if (member !== undefined) {
        member.check(object[name], path(name), problems);
      } else if (checkOther !== undefined) {
        checkOther(object[name], path(name), problems);
      } else if (others === false) {
        refuseUnknown(path(shortened(name)), name);
      }
    }
    // `in` would also find inherited members.
    completeAbsent(object, (name) => Object.hasOwn(object, name), path, problems);
    checkRanges?.(object, path, problems);
    checkMembersBy?.(object, path, problems);

    function refuseUnknown(at: string, name: string): void {
      const hint = nameHint(name, names, 'member', path);
      const what = field === BODY ? 'body' : 'object';
      report(problems, at, `${at} is not a member of this ${what}${hint}`);
    }
  };
}

/** Checks an object whose members have been checked; `path` returns the field name of a member. */
export type MembersCheck = (
  object: Readonly<Record<string, unknown>>,
  path: (name: string) => string,
  problems: FieldProblem[],
) => void;

/** Compiles the check of `x-members-by`. Returns undefined if the schema has none. */
function compileMembersBy({ 'x-members-by': rule }: SchemaNode): MembersCheck | undefined {
  if (rule === undefined) {
    return undefined;
  }
  const { member } = rule;
  const needs = new Map(Object.entries(rule.needs));
  const refuses = new Map(Object.entries(rule.refuses));
  return (object, path, problems) => {
    const value = object[member];
    if (typeof value !== 'string') {
      return;
    }
    for (const name of needs.get(value) ?? []) {
      if (!Object.hasOwn(object, name)) {
        report(problems, path(name), `${path(name)} is missing; it belongs to ${member} ${value}`);
      }
    }
    for (const name of refuses.get(value) ?? []) {
      if (Object.hasOwn(object, name)) {
        report(problems, path(name), `${path(name)} does not belong to ${member} ${value}`);
      }
    }
  };
}

/**
 * Compiles the check of `x-ranges`: pairs of optional members, both numbers or both dates or times, of which
 * the first must not exceed the second. The check skips a range with an end that already has a problem.
 * Returns undefined if the schema has no ranges.
 */
export function compileRanges({ 'x-ranges': ranges }: SchemaNode): MembersCheck | undefined {
  return (
    ranges &&
    ((object, path, problems) => {
      for (const [lower, upper] of ranges) {
        const from = object[lower];
        if (from === undefined) {
          continue;
        }
        const to = object[upper];
        if (to === undefined || isFull(problems)) {
          continue;
        }
        const [fromField, toField] = [path(lower), path(upper)];
        if (problems.some(({ field }) => field === fromField || field === toField)) {
          continue;
        }
        if (typeof from === 'number' && from > (to as number)) {
          report(problems, fromField, `${fromField} must not be above ${toField}`);
          report(problems, toField, `${toField} must not be below ${fromField}`);
        }
        if (typeof from === 'string' && firstMoment(from) > lastMoment(to as string)) {
          report(problems, fromField, `${fromField} must not be after ${toField}`);
          report(problems, toField, `${toField} must not be before ${fromField}`);
        }
      }
    })
  );
}

/** Returns the rule that a text breaks, which follows “must ”; undefined for a valid text. */
type TextRule = (text: string) => string | undefined;

/** Compiles the check of texts, by the rules of the schema and the rules for every text. */
function compileTextRule(node: SchemaNode): TextRule {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern, format } = node;
  const matcher = pattern === undefined ? undefined : new RegExp(pattern, 'u');
  const isOfFormat = format === undefined ? undefined : formatCheck(format);
  return (text) => {
    if (text.includes('\0')) {
      return 'not hold the character NUL';
    }
    if (!text.isWellFormed()) {
      return 'not hold half of a surrogate pair';
    }
    // Counts characters, as JSON Schema does; a text has no more of them than UTF-16 units.
    if (text.length > maxLength && lengthOf(text) > maxLength) {
      return `be at most ${counted(maxLength, 'character')} long`;
    }
    if (text.length < minLength * 2 && lengthOf(text) < minLength) {
      return minLength === 1
        ? 'not be empty'
        : `be at least ${counted(minLength, 'character')} long`;
    }
    if (isOfFormat !== undefined && !isOfFormat(text)) {
      return formatRule(format!);
    }
    return matcher === undefined || matcher.test(text) ? undefined : `match ${pattern}`;
  };
}

function formatCheck(format: string): (text: string) => boolean {
  // Faster than the library: a request may contain a hundred of them.
  if (format === 'uuid') {
    return isUuid;
  }
  if (!Format.Has(format)) {
    throw new TypeError(`A schema names the unknown format ${format}.`);
  }
  return (text) => Format.Test(format, text);
}

function lengthOf(text: string): number {
  let length = 0;
  for (const _ of text) {
    length++;
  }
  return length;
}

/**
 * Whether any text in a value contains a character that no text may contain. The value is not nested deeper
 * than a body.
 */
export function holdsBadText(value: unknown): boolean {
  if (typeof value === 'string') {
    return value.includes('\0') || !value.isWellFormed();
  }
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsBadText);
}
