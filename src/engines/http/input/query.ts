import type { TObject } from 'typebox';
import type { FieldProblem } from '../../../common/errors.ts';
import { isFull, meantNames, nameHint, refuse, report, shortened } from './problems.ts';
import {
  compileAbsent,
  compileMembers,
  compileRanges,
  type Member,
  type MembersCheck,
} from './schema/schema-check.ts';
import { listed, ruleOf, type SchemaNode } from './schema/schema-rules.ts';

/**
 * Converts a text of the URL into a value of its schema. Adds a problem and returns undefined if it is
 * invalid.
 */
type Coerce = (text: string, field: string, problems: FieldProblem[]) => unknown;

interface Parameter extends Member {
  coerce: Coerce;
  isList: boolean;
}

/**
 * Reads the parameters of a schema from a query string or a path, as values of the types of the schema. A
 * list is one parameter with commas (OpenAPI: `style: form, explode: false`), or several of its name, as half of
 * the generators of clients send it. The reader is strict: an integer consists of digits, a boolean is `true` or
 * `false`, a list has no empty entry, and any other parameter appears once. It refuses an unknown parameter and suggests the nearest known one, because a typo would
 * otherwise widen the result without notice. It ignores names that begin with `_` or `utm_` (cache busters,
 * tracking) (docs/contract/http.md#unknown-parameters-and-members).
 */
export class ParameterReader {
  readonly #parameters: ReadonlyMap<string, Parameter>;
  readonly #completeAbsent: ReturnType<typeof compileAbsent>;
  readonly #checkRanges: MembersCheck | undefined;
  readonly #bodyMembers: readonly string[];

  /** @param bodyMembers the members of the body of the same operation, for the message to callers who put one into the query. */
  constructor(schema: TObject, bodyMembers: readonly string[] = []) {
    const { properties = {} } = schema as SchemaNode;
    this.#parameters = new Map(
      Array.from(compileMembers(schema as SchemaNode), ([name, member]) => {
        const node = properties[name]!;
        return [name, { ...member, coerce: coercion(node), isList: takesList(node) }];
      }),
    );
    this.#completeAbsent = compileAbsent(this.#parameters);
    this.#checkRanges = compileRanges(schema as SchemaNode);
    this.#bodyMembers = bodyMembers;
  }

  /** @param queryString what follows the `?`, as sent. */
  query(queryString: string, problems: FieldProblem[]): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    const seen = new Set<string>();
    const lists = new Map<string, string>();
    for (const { name, sent } of pairsOf(queryString, problems)) {
      if (name === undefined) {
        refuse(problems, 'query', 'be UTF-8 in percent-encoding');
        continue;
      }
      const parameter = this.#parameters.get(name);
      if (parameter === undefined) {
        if (!isIgnored(name) && !seen.has(name)) {
          seen.add(name);
          this.#refuseUnknown(name, problems);
        }
        continue;
      }
      if (seen.has(name) && !parameter.isList) {
        refuse(problems, name, 'be given once');
        continue;
      }
      seen.add(name);
      const text = decoded(sent);
      if (text === undefined) {
        refuse(problems, name, 'be UTF-8 in percent-encoding');
      } else if (parameter.isList) {
        const before = lists.get(name);
        lists.set(name, before === undefined ? text : `${before},${text}`);
      } else {
        this.#read(parameter, name, text, values, problems);
      }
    }
    for (const [name, text] of lists) {
      this.#read(this.#parameters.get(name)!, name, text, values, problems);
    }
    const path = (name: string) => name;
    this.#completeAbsent(values, (name) => seen.has(name), path, problems);
    this.#checkRanges?.(values, path, problems);
    return values;
  }

  /** @param texts the parameters of the path, decoded. */
  path(texts: Readonly<Record<string, string>>, problems: FieldProblem[]): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const [name, parameter] of this.#parameters) {
      this.#read(parameter, name, texts[name]!, values, problems);
    }
    return values;
  }

  #refuseUnknown(name: string, problems: FieldProblem[]): void {
    const field = shortened(name);
    const shown = field === '' ? 'a value without a name' : field;
    report(
      problems,
      field || 'query',
      `${shown} is not a parameter of this operation${this.#hint(name)}`,
    );
  }

  #hint(name: string): string {
    const known = [...this.#parameters.keys()];
    const [meant] = meantNames(name, known);
    const inBody = meantNames(name, this.#bodyMembers);
    if (meant === undefined && inBody.length > 0) {
      return `; send ${listed(inBody, 'or')} in the body`;
    }
    // Other APIs write lists as `filterSlugs[]=a`.
    const joins = meant !== undefined && name.endsWith(']') && this.#parameters.get(meant)!.isList;
    return nameHint(name, known, 'parameter') + (joins ? `; ${joinHint(meant)}` : '');
  }

  #read(
    { coerce, check }: Parameter,
    name: string,
    text: string,
    values: Record<string, unknown>,
    problems: FieldProblem[],
  ): void {
    const before = problems.length;
    const value = coerce(text, name, problems);
    if (problems.length === before) {
      check(value, name, problems);
      values[name] = value;
    }
  }
}

/** Parameters that caches and trackers add to any URL, and that no operation reads. */
function isIgnored(name: string): boolean {
  return name.startsWith('_') || name.startsWith('utm_');
}

function joinHint(name: string): string {
  return `join its entries with commas, as in ${name}=a,b`;
}

/**
 * The pairs of a query string or a form: the decoded name, and the value as sent. Ends when no further problem would be
 * reported: each failed decoding throws, which is slow, and a body of 64 KiB can contain 30,000 of them.
 */
export function* pairsOf(text: string, problems: readonly FieldProblem[]) {
  for (const pair of text.split('&')) {
    if (isFull(problems)) return;
    if (pair === '') continue;
    const equals = pair.indexOf('=');
    const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
    yield { name, sent: equals < 0 ? '' : pair.slice(equals + 1) };
  }
}

/**
 * Decodes percent-encoding and `+` for a space. Returns undefined if the text is not percent-encoded UTF-8.
 */
export function decoded(text: string): string | undefined {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text;
  if (!spaced.includes('%')) {
    return spaced;
  }
  try {
    return decodeURIComponent(spaced);
  } catch {
    return undefined;
  }
}

function coercion(node: SchemaNode): Coerce {
  switch (node.type) {
    case 'integer':
      return matching(node, (node.minimum ?? 0) < 0 ? /^-?[0-9]+$/ : /^[0-9]+$/, Number);
    case 'number':
      return matching(node, /^-?[0-9]+(\.[0-9]+)?$/, Number);
    case 'boolean':
      return booleanOf(node);
    case 'array':
      return listOf(node.items ?? {});
    default:
      return takesOffset(node) ? timeOf(node) : (text) => text;
  }
}

/** Whether several values may be given: of a list, or of a text that may be a list with commas. */
function takesList({ type, anyOf = [] }: SchemaNode): boolean {
  return type === 'array' || anyOf.some(takesList);
}

function takesOffset({ format, pattern = '' }: SchemaNode): boolean {
  return format === 'date-time' && new RegExp(pattern).test('2026-11-21T10:40:10+01:00');
}

/** Explains the space that an unencoded `+` of an offset means in a query. */
function timeOf(node: SchemaNode): Coerce {
  return (text, field, problems) =>
    text.includes(' ') ? refuse(problems, field, `${ruleOf(node)}; write a + as %2B`) : text;
}

function booleanOf(node: SchemaNode): Coerce {
  const exact = matching(node, /^(?:true|false)$/, (text) => text === 'true');
  return (text, field, problems) =>
    // Python writes booleans in this form.
    /^(?:true|false)$/i.test(text) && text !== text.toLowerCase()
      ? refuse(problems, field, `${ruleOf(node)}, in lower case`)
      : exact(text, field, problems);
}

function matching(node: SchemaNode, form: RegExp, convert: (text: string) => unknown): Coerce {
  return (text, field, problems) =>
    form.test(text) ? convert(text) : refuse(problems, field, ruleOf(node));
}

/**
 * Returns the conversion of a list. An empty text is the empty list, so that an empty form field means "not
 * given" (docs/contract/http.md#parameter-values).
 */
function listOf(items: SchemaNode): Coerce {
  const coerce = coercion(items);
  return (text, field, problems) =>
    text === ''
      ? []
      : text.split(',').map((entry, i) => {
          const at = `${field}[${i}]`;
          return entry === '' ? refuse(problems, at, 'not be empty') : coerce(entry, at, problems);
        });
}

const ENCODED_LETTER = /%[4-7]/;

/** Returns the values of a parameter, whose name is of letters, in a URL, which may be malformed otherwise. */
export function valuesInUrl(url: string, name: string): string[] {
  const mark = url.indexOf('?');
  // Most URLs name other parameters, and parsing takes longer than the search for a name.
  if (mark < 0 || !(url.includes(name, mark) || ENCODED_LETTER.test(url))) return [];
  return new URLSearchParams(url.slice(mark + 1)).getAll(name);
}
