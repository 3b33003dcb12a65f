import type { TObject } from 'typebox';
import type { FieldProblem } from '../kernel/errors.ts';
import { isFull, refuse, report } from './problems.ts';
import { type Check, compileCheck } from './schema-check.ts';
import type { SchemaNode } from './schema-node.ts';
import { compileRanges, type RangeCheck } from './schema-ranges.ts';
import { ruleOf } from './schema-rules.ts';

/** A text from the URL as the value its schema asks for; undefined, and a problem, where it is none. */
type Coerce = (text: string, field: string, problems: FieldProblem[]) => unknown;

interface Parameter {
  coerce: Coerce;
  check: Check;
  isRequired: boolean;
  default: unknown;
}

/**
 * Reads the parameters that a schema names, from a query string or from the path, into values of
 * the schema's types. A list is one parameter with commas (OpenAPI: `style: form, explode: false`).
 * Nothing is guessed: a whole number is digits alone, a boolean is `true` or `false`, a list has no
 * empty entry, and a parameter comes once. Parameters that the schema does not name are passed over
 * (decisions §4).
 */
export class ParameterReader {
  readonly #parameters: ReadonlyMap<string, Parameter>;
  /** Those whose absence means something. */
  readonly #expected: readonly [name: string, parameter: Parameter][];
  readonly #checkRanges: RangeCheck | undefined;

  constructor(schema: TObject) {
    const { properties = {}, required = [] } = schema as SchemaNode;
    this.#parameters = new Map(
      Object.entries(properties).map(([name, node]) => [
        name,
        {
          coerce: coercion(node),
          check: compileCheck(node),
          isRequired: required.includes(name),
          default: node.default,
        },
      ]),
    );
    this.#expected = [...this.#parameters].filter(
      ([, parameter]) => parameter.isRequired || parameter.default !== undefined,
    );
    this.#checkRanges = compileRanges(schema as SchemaNode);
  }

  /** @param queryString what follows the `?`, as sent. */
  query(queryString: string, problems: FieldProblem[]): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    const seen = new Set<string>();
    if (queryString !== '') {
      for (const pair of queryString.split('&')) {
        if (isFull(problems)) {
          break;
        }
        const equals = pair.indexOf('=');
        const name = decoded(equals < 0 ? pair : pair.slice(0, equals));
        if (name === undefined) {
          refuse(problems, 'query', 'be UTF-8 in percent-encoding');
          continue;
        }
        const parameter = this.#parameters.get(name);
        if (parameter === undefined) {
          continue;
        }
        if (seen.has(name)) {
          refuse(problems, name, 'be given once');
          continue;
        }
        seen.add(name);
        const text = equals < 0 ? '' : decoded(pair.slice(equals + 1));
        if (text === undefined) {
          refuse(problems, name, 'be UTF-8 in percent-encoding');
        } else {
          this.#read(parameter, name, text, values, problems);
        }
      }
    }
    for (const [name, parameter] of this.#expected) {
      if (seen.has(name)) {
        continue;
      }
      if (parameter.isRequired) {
        report(problems, name, `${name} is missing`);
      } else {
        values[name] = parameter.default;
      }
    }
    this.#checkRanges?.(values, (name) => name, problems);
    return values;
  }

  /** @param texts the path's parameters, decoded. */
  path(texts: Readonly<Record<string, string>>, problems: FieldProblem[]): Record<string, unknown> {
    const values: Record<string, unknown> = {};
    for (const [name, parameter] of this.#parameters) {
      this.#read(parameter, name, texts[name]!, values, problems);
    }
    return values;
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

/** The text that a form encodes, `+` for a space; undefined where it is not percent-encoded UTF-8. */
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
      return matching(node, /^(?:true|false)$/, (text) => text === 'true');
    case 'array':
      return listOf(node.items ?? {});
    default:
      return (text) => text;
  }
}

function matching(node: SchemaNode, form: RegExp, convert: (text: string) => unknown): Coerce {
  return (text, field, problems) =>
    form.test(text) ? convert(text) : refuse(problems, field, ruleOf(node));
}

/** An empty text is the empty list, so that a form's empty field means "not given" (decisions §4). */
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
