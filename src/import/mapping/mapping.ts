import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { FILTER_TYPES } from '../../catalog/track-fields.ts';
import { nearest } from '../../common/nearest.ts';
import { OperatorError } from '../../common/operator-error.ts';
import { RECORD_MEMBERS } from '../record.ts';

/** The kinds of damage in a text that a mapping can correct. */
export const REPAIRS = ['html-entities', 'html-tags', 'double-utf8', 'spaces'] as const;
/** How the text of a cell encodes a structured value. */
const DECODERS = ['json', 'python-literal'] as const;
/** The units of durations; `clock` is `3:45` or `1:02:03`. */
const UNITS = ['seconds', 'milliseconds', 'clock'] as const;

const oneOf = <const Words extends readonly string[]>(words: Words, description: string) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], description });

const Path = Type.String({ minLength: 1 });
const strict = { additionalProperties: false };

const ruleMembers = {
  from: Type.Optional(
    Type.String({
      minLength: 1,
      description:
        "The supplier's member or column. `a.b` is the member of that name, otherwise the member `b` of `a`.",
    }),
  ),
  constant: Type.Optional(
    Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
      description: 'A fixed value, independent of the record.',
    }),
  ),
  decode: Type.Optional(
    oneOf(DECODERS, "Parses the text as JSON or as a Python literal (`[{'a': 1}]`)."),
  ),
  pick: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Takes this member of the object, or of each object in a list.',
    }),
  ),
  split: Type.Optional(
    Type.String({ minLength: 1, description: 'Splits the text into a list at this separator.' }),
  ),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Takes what follows this prefix. A text without the prefix gives no value.',
    }),
  ),
  matches: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Takes only texts that match this regular expression (RE2 syntax).',
    }),
  ),
  strip: Type.Optional(
    Type.String({ minLength: 1, description: 'Removes this prefix, if the text has it.' }),
  ),
  repair: Type.Optional(
    Type.Array(oneOf(REPAIRS, 'A repair.'), {
      description: `Corrects known damage: ${REPAIRS.join(', ')}.`,
    }),
  ),
  values: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
      {
        description:
          "Replaces the supplier's words (case does not matter) by others. null removes a word; `*` applies to all other words, which otherwise stay.",
      },
    ),
  ),
  only: Type.Optional(
    Type.Array(Type.String(), { description: 'Takes only these words. Case does not matter.' }),
  ),
  except: Type.Optional(
    Type.Array(Type.String(), { description: 'Removes these words. Case does not matter.' }),
  ),
  form: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })], {
      description:
        'The form of a date: `YYYY YY MMM MM M DD D hh mm ss A` and the characters between them. If it does not match, Stave tries the usual forms.',
    }),
  ),
  unit: Type.Optional(oneOf(UNITS, 'The unit of a duration.')),
  prefix: Type.Optional(Type.String({ minLength: 1, description: 'Adds this prefix.' })),
  default: Type.Optional(
    Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
      description: 'The value if there is no other.',
    }),
  ),
};
/** A rule in its full form. */
export const MappingRuleSchema = Type.Object(ruleMembers, strict);
/** A path, a rule, or several of either. The first one that gives a value applies. */
const Rule = Type.Union([
  Path,
  MappingRuleSchema,
  Type.Array(Type.Union([Path, MappingRuleSchema]), { minItems: 1 }),
]);
const FilterRule = Type.Object(
  { type: oneOf(FILTER_TYPES, 'The type of the filters it makes.'), ...ruleMembers },
  strict,
);
const CreditRule = Type.Object(
  {
    each: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The list of artists; the rules beside it then speak of its entries.',
      }),
    ),
    name: Rule,
    role: Type.Optional(Rule),
    isPrimary: Type.Optional(Rule),
    externalId: Type.Optional(Rule),
    ipi: Type.Optional(Rule),
    society: Type.Optional(Rule),
    sharePercent: Type.Optional(Rule),
  },
  strict,
);

/** How to make import records of a supplier's records (docs/import.md). */
export const Mapping = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    name: Type.String({
      pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
      maxLength: 64,
      description: 'The name of the mapping. Also the source, unless `--source` sets it.',
    }),
    description: Type.Optional(Type.String()),
    recognize: Type.Optional(
      Type.Object(
        {
          formats: Type.Optional(Type.Array(oneOf(['ndjson', 'json', 'csv'], 'A format.'))),
          all: Type.Optional(Type.Array(Path)),
          any: Type.Optional(Type.Array(Path)),
          none: Type.Optional(Type.Array(Path)),
        },
        strict,
      ),
    ),
    records: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The path of the list in a JSON document, such as `data.tracks`.',
      }),
    ),
    delimiter: Type.Optional(
      Type.String({
        // One byte that has no other meaning in a CSV file.
        pattern: '^[^"\\r\\n\\u0080-\\uffff]$',
        description: 'The character between the cells of a CSV file: one ASCII character.',
      }),
    ),
    encoding: Type.Optional(
      Type.String({
        description: 'The encoding of a file that is not UTF-8, such as `windows-1252`.',
      }),
    ),
    fields: Type.Record(Type.String(), Rule),
    artists: Type.Optional(Type.Array(CreditRule)),
    roles: Type.Optional(
      Type.Record(Type.String(), Type.String({ pattern: '^[A-Z]+(_[A-Z]+)*$' })),
    ),
    filters: Type.Optional(Type.Array(FilterRule)),
    tags: Type.Optional(Type.Array(Rule)),
  },
  strict,
);
/** A mapping whose form is checked. */
export type Mapping = Static<typeof Mapping>;
/** A path, a rule, or several of either. */
export type MappingRule = Static<typeof Rule>;
/** A rule in its full form. */
export type MappingRuleObject = Static<typeof MappingRuleSchema>;
/** The rules that make credits. */
export type MappingCredit = Static<typeof CreditRule>;

/** Members of the record that `fields` may fill. The lists of names have their own sections. */
const FIELD_MEMBERS: readonly string[] = RECORD_MEMBERS.filter(
  (member) => !['artists', 'filters', 'tags'].includes(member),
);

const compiled = Compile(Mapping);

/** Parses a mapping. Throws OperatorError that names the invalid member and the problem. */
export function parseMapping(text: string, file: string): Mapping {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new OperatorError(`the mapping ${file} is not valid JSON: ${(error as Error).message}`);
  }
  if (!compiled.Check(value)) {
    throw new OperatorError(`the mapping ${file} is not as it should be: ${firstProblem(value)}`);
  }
  for (const member of Object.keys(value.fields)) {
    if (!FIELD_MEMBERS.includes(member)) {
      const near = nearest(member, FIELD_MEMBERS);
      throw new OperatorError(
        `the mapping ${file} is not as it should be: fields.${member} is no member of the import record${near === undefined ? '' : ` (did you mean ${near}?)`}`,
      );
    }
  }
  if (value.encoding !== undefined && !isEncoding(value.encoding)) {
    throw new OperatorError(`the mapping ${file} names an unknown encoding, "${value.encoding}"`);
  }
  return value;
}

function isEncoding(name: string): boolean {
  try {
    return new TextDecoder(name) !== undefined;
  } catch {
    return false;
  }
}

/** Members of the parts of a mapping, to suggest one for a misspelled member. */
const PART_MEMBERS: readonly string[] = [
  ...Object.keys(ruleMembers),
  ...Object.keys(CreditRule.properties),
];

/**
 * Returns the most useful of TypeBox's errors: an unknown member, then the deepest one, then any.
 */
function firstProblem(value: unknown): string {
  const errors = [...compiled.Errors(value)];
  const unknown = errors.find(({ keyword }) => keyword === 'additionalProperties');
  if (unknown !== undefined) {
    const member = (unknown.params as { additionalProperties: string[] }).additionalProperties[0]!;
    const path = pathOf(unknown.instancePath);
    const near = nearest(
      member,
      path.length === 0 ? Object.keys(Mapping.properties) : PART_MEMBERS,
    );
    return `${[...path, member].join('.')} is no member of it${near === undefined ? '' : ` (did you mean ${near}?)`}`;
  }
  const error = errors.toSorted(
    (one, other) => pathOf(other.instancePath).length - pathOf(one.instancePath).length,
  )[0];
  return error === undefined
    ? 'it does not match the format'
    : `${pathOf(error.instancePath).join('.') || 'the whole'} ${error.message}`;
}

function pathOf(instancePath: string): string[] {
  return instancePath.split('/').slice(1);
}
