import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import type { FieldProblem } from '../../../../common/errors.ts';
import { counted } from '../../../../common/text/counted.ts';
import { meantNames } from '../name-hint.ts';
import { BODY, isFull, refuse, report, shortened } from '../problems.ts';
import { compileTextRule, holdsBadText } from '../text-check.ts';
import { compileMembersBy } from './schema-members-by.ts';
import { choicesOf, type SchemaNode } from './schema-node.ts';
import { compileRanges } from './schema-ranges.ts';
import { knownNames, listed, ruleOf } from './schema-rules.ts';

/**
 * Checks a value from a request and adds its problems, each with its path (`filterIds[2]`). Sets missing
 * members to the `default` of their schema, in place.
 */
export type Check = (value: unknown, field: string, problems: FieldProblem[]) => void;

/** Keywords without a restriction. */
const ANNOTATIONS =
  '$id $schema $comment title description examples default deprecated readOnly writeOnly';

/** The keywords that the checks below implement, by the type of schema. */
const HELD: Readonly<Record<string, string>> = {
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
  const held = HELD[kind];
  const check = held === undefined ? undefined : CHECKS[kind]!(node);
  const known = new Set(`${held ?? ''} ${ANNOTATIONS}`.split(' '));
  const isHeldWhole = Object.keys(node).every((key) => known.has(key) || key.startsWith('x-'));
  if (check !== undefined && isHeldWhole) {
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
      refuse(problems, field, ruleOf(schema));
    } else if (holdsBadText(value)) {
      refuse(problems, field, 'not hold NUL or half of a surrogate pair');
    }
  };
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
      refuseType(problems, field, value, ruleOf(node));
    }
  };
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
      return refuseType(problems, field, value, ruleOf(node));
    }
    const rule = ruleBroken(value);
    if (rule !== undefined) {
      refuse(problems, field, node['x-rule'] ?? rule);
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

/** One member of an object schema. */
interface Member {
  check: Check;
  isRequired: boolean;
  default: unknown;
}

/** Refuses unknown members, unless the schema has `additionalProperties: true`. */
function checkObject(node: SchemaNode): Check {
  const members = new Map<string, Member>(
    Object.entries(node.properties ?? {}).map(([name, member]) => [
      name,
      {
        check: compileCheck(member),
        isRequired: node.required?.includes(name) ?? false,
        default: member.default,
      },
    ]),
  );
  const expected = [...members].filter(
    ([, member]) => member.isRequired || member.default !== undefined,
  );
  const others = node.additionalProperties ?? false;
  const checkOther = typeof others === 'object' ? compileCheck(others) : undefined;
  const checkRanges = compileRanges(node);
  const checkMembersBy = compileMembersBy(node);

  return (value, field, problems) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      return refuseType(problems, field, value, ruleOf(node));
    }
    const object = value as Record<string, unknown>;
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
    for (const [name, member] of expected) {
      // `in` would also find inherited members.
      if (Object.hasOwn(object, name)) {
        continue;
      }
      if (member.isRequired) {
        report(problems, path(name), `${path(name)} is missing`);
      } else {
        object[name] = member.default;
      }
    }
    checkRanges?.(object, path, problems);
    checkMembersBy?.(object, path, problems);

    function hint(meant: readonly string[]): string {
      if (meant.length > 0) {
        return ` (did you mean ${listed(meant, 'or')}?)`;
      }
      return members.size === 0
        ? ', which has none'
        : `; ${knownNames('member', [...members.keys()])}`;
    }

    function refuseUnknown(at: string, name: string): void {
      const meant = meantNames(name, members.keys());
      const object = field === BODY ? 'body' : 'object';
      report(problems, at, `${at} is not a member of this ${object}${hint(meant.map(path))}`);
    }
  };
}
