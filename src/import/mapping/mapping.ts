import { type Static, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { FILTER_TYPES } from '../../catalog/filter.ts';
import { nearest } from '../../kernel/nearest.ts';
import { OperatorError } from '../../kernel/operator-error.ts';
import { RECORD_MEMBERS } from '../record.ts';

/** Wrongs that a mapping may ask to be put right in a text. */
export const REPAIRS = ['html-entities', 'html-tags', 'double-utf8', 'spaces'] as const;
/** How a text cell holds something richer. */
const DECODERS = ['json', 'python-literal'] as const;
/** What a supplier counts durations in; `clock` is `3:45` or `1:02:03`. */
const UNITS = ['seconds', 'milliseconds', 'clock'] as const;

const oneOf = <const Words extends readonly string[]>(words: Words, description: string) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], description });

const Path = Type.String({ minLength: 1 });
const strict = { additionalProperties: false };

const ruleMembers = {
  from: Type.Optional(
    Type.String({
      minLength: 1,
      description: "The supplier's member or column; `a.b` for a member of a member.",
    }),
  ),
  constant: Type.Optional(
    Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
      description: 'This value, whatever the record says.',
    }),
  ),
  decode: Type.Optional(
    oneOf(DECODERS, "Reads the text as a structure: JSON, or a literal of Python (`[{'a': 1}]`)."),
  ),
  pick: Type.Optional(
    Type.String({ minLength: 1, description: 'This member of the object, or of each in a list.' }),
  ),
  split: Type.Optional(
    Type.String({ minLength: 1, description: 'Cuts the text into a list at this sign.' }),
  ),
  after: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'What follows this beginning; nothing where the text begins otherwise.',
    }),
  ),
  matches: Type.Optional(
    Type.String({
      minLength: 1,
      description: 'Takes only what matches this regular expression.',
    }),
  ),
  strip: Type.Optional(
    Type.String({ minLength: 1, description: 'Takes this beginning away where it is there.' }),
  ),
  repair: Type.Optional(
    Type.Array(oneOf(REPAIRS, 'A repair.'), {
      description: `Puts known damage right: ${REPAIRS.join(', ')}.`,
    }),
  ),
  values: Type.Optional(
    Type.Record(
      Type.String(),
      Type.Union([Type.String(), Type.Number(), Type.Boolean(), Type.Null()]),
      {
        description:
          "The supplier's words (case does not matter) and ours; null drops one, `*` stands for all others, which otherwise pass.",
      },
    ),
  ),
  only: Type.Optional(
    Type.Array(Type.String(), { description: 'Takes these words alone; case does not matter.' }),
  ),
  except: Type.Optional(
    Type.Array(Type.String(), { description: 'Leaves these words out; case does not matter.' }),
  ),
  form: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })], {
      description:
        'The form of a date: `YYYY YY MM DD hh mm ss A` and the signs between. The usual forms are tried after it.',
    }),
  ),
  unit: Type.Optional(oneOf(UNITS, 'What a duration is counted in.')),
  prefix: Type.Optional(Type.String({ minLength: 1, description: 'Puts this in front.' })),
  default: Type.Optional(
    Type.Union([Type.String(), Type.Number(), Type.Boolean()], {
      description: 'The value where there is none.',
    }),
  ),
};
/** One rule in its full form. */
export const MappingRuleSchema = Type.Object(ruleMembers, strict);
/** A path, a rule, or several of either: the first that finds something. */
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
  },
  strict,
);

/** How a supplier's records become import records; documented in docs/import.md. */
export const Mapping = Type.Object(
  {
    $schema: Type.Optional(Type.String()),
    name: Type.String({
      pattern: '^[a-z0-9]+(-[a-z0-9]+)*$',
      maxLength: 64,
      description: 'Names the mapping, and the source where `--source` does not.',
    }),
    description: Type.Optional(Type.String()),
    recognise: Type.Optional(
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
        description: 'Where a JSON document holds its list: `data.tracks`.',
      }),
    ),
    delimiter: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 1,
        description: 'What separates the cells of a CSV file.',
      }),
    ),
    encoding: Type.Optional(
      Type.String({ description: 'The encoding of what is not UTF-8, such as `windows-1252`.' }),
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
/** A mapping whose form was checked. */
export type Mapping = Static<typeof Mapping>;
/** A path, a rule, or several of either. */
export type MappingRule = Static<typeof Rule>;
/** A rule in its full form. */
export type MappingRuleObject = Static<typeof MappingRuleSchema>;
/** The rules that make credits. */
export type MappingCredit = Static<typeof CreditRule>;

/** Members of the record that `fields` may fill; the lists of names have sections of their own. */
const FIELD_MEMBERS: readonly string[] = RECORD_MEMBERS.filter(
  (member) => !['artists', 'filters', 'tags'].includes(member),
);

const compiled = Compile(Mapping);

/** The mapping that a JSON text holds; throws OperatorError naming the member and what is wrong with it. */
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

/** Members of the parts of a mapping; a misspelt one is near one of them. */
const PART_MEMBERS: readonly string[] = [
  ...Object.keys(ruleMembers),
  ...Object.keys(CreditRule.properties),
];

/** The most telling of TypeBox's errors: an unknown member, then the deepest, then any. */
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
