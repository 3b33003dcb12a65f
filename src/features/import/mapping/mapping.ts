import { type Static, Type } from 'typebox';
import { FILTER_TYPES } from '../../catalog/track-values.ts';

export const REPAIRS = ['html-entities', 'html-tags', 'double-utf8', 'spaces'] as const;
const DECODERS = ['json', 'python-literal'] as const;
/** The units of durations; `clock` is a written duration such as `3:45`. */
const UNITS = ['seconds', 'milliseconds', 'clock', 'samples'] as const;
const DECIMAL_SIGNS = [',', '.'] as const;

const oneOf = <const Words extends readonly string[]>(words: Words, description: string) =>
  Type.Unsafe<Words[number]>({ type: 'string', enum: [...words], description });

/** The character between cells: one byte that has no other meaning in a CSV file. */
const Delimiter = Type.String({
  pattern: '^[^"\\r\\n\\u0080-\\uffff]$',
  description: 'The character between the cells of a CSV file: one ASCII character.',
});
const Path = Type.String({ minLength: 1 });
const strict = { additionalProperties: false };

const text = (description: string) => Type.Optional(Type.String({ minLength: 1, description }));
const TextOrTexts = (description: string) =>
  Type.Optional(
    Type.Union([Path, Type.Array(Path, { minItems: 1, maxItems: 100 })], { description }),
  );
const Scalar = (description: string) =>
  Type.Optional(Type.Union([Type.String(), Type.Number(), Type.Boolean()], { description }));

const sourceMembers = {
  from: text(
    "The supplier's member or column. `a.b` is the member of that name, otherwise the member `b` of `a`.",
  ),
  constant: Scalar('A fixed value, independent of the record.'),
};

export const LookupSchema = Type.Object(
  {
    file: Type.String({ minLength: 1 }),
    key: Path,
    take: Type.Optional(Path),
    records: Type.Optional(Path),
    sheet: Type.Optional(Type.String({ minLength: 1 })),
    delimiter: Type.Optional(Delimiter),
    encoding: Type.Optional(Type.String()),
  },
  {
    ...strict,
    description:
      'Takes what a [side file](#side-files) has for this value: `{"file", "key", "take"}`.',
  },
);
export type Lookup = Static<typeof LookupSchema>;

const stepMembers = {
  decode: Type.Optional(
    oneOf(DECODERS, "Parses the text as JSON or as a Python literal (`[{'a': 1}]`)."),
  ),
  pick: text('Takes this member of the object, or of each object in a list.'),
  split: TextOrTexts(
    'Splits the text into a list at this separator, or at the first of several that the text has.',
  ),
  after: text('Takes what follows this prefix. A text without the prefix gives no value.'),
  extract: text(
    'Takes what the group of this regular expression (RE2 syntax) matches: `No\\.? ([0-9]+)`. A text without a match gives no value.',
  ),
  matches: text('Takes only texts that match this regular expression (RE2 syntax).'),
  strip: TextOrTexts('Removes this prefix, or the first of several that the text has.'),
  stripEnd: TextOrTexts('Removes this suffix, or the first of several that the text has.'),
  repair: Type.Optional(
    Type.Array(oneOf(REPAIRS, 'A repair.'), {
      description: `Corrects known damage: ${REPAIRS.join(', ')}.`,
    }),
  ),
  lookup: Type.Optional(LookupSchema),
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
  first: Type.Optional(Type.Boolean({ description: 'If true, takes the first value of a list.' })),
  decimal: Type.Optional(
    oneOf(
      DECIMAL_SIGNS,
      'The sign before the decimals of a number: with `,`, `1.234,5` is 1234.5.',
    ),
  ),
  form: Type.Optional(
    Type.Union([Type.String(), Type.Array(Type.String(), { minItems: 1 })], {
      description:
        'The form of a date: `YYYY YY MMM MM M DD D hh mm ss A` and the characters between them, or `excel` for a serial date. If it does not match, Stave tries the usual forms.',
    }),
  ),
  monthLanguage: Type.Optional(
    Type.String({
      description:
        'The language of the month names in `form`, such as `de`. English ones match too.',
    }),
  ),
  unit: Type.Optional(oneOf(UNITS, 'The unit of a duration.')),
  rate: Type.Optional(
    Type.Union([Type.Number({ exclusiveMinimum: 0 }), Path], {
      description: 'The samples per second of the unit `samples`: a number, or a member.',
    }),
  ),
  prefix: text('Adds this prefix.'),
  suffix: text('Adds this suffix.'),
  default: Scalar('The value if there is no other.'),
};

/** A rule that is a part of a joined text. It cannot join others itself. */
const JoinedRule = Type.Object({ ...sourceMembers, ...stepMembers }, strict);

/** The parts of a rule, in the order in which they are applied. */
export const ruleMembers = {
  ...sourceMembers,
  join: Type.Optional(
    Type.Array(Type.Union([Path, JoinedRule]), {
      minItems: 1,
      maxItems: 20,
      description:
        'Joins the values of these rules to one text. There is no value if one of them has none; `"default": ""` leaves out such a part instead.',
    }),
  ),
  separator: Type.Optional(Type.String({ description: 'The text between the joined values.' })),
  ...stepMembers,
};
export const MappingRuleSchema = Type.Object(ruleMembers, strict);
/** A path, a rule, or several of either. The first one that gives a value applies. */
const Rule = Type.Union([
  Path,
  MappingRuleSchema,
  Type.Array(Type.Union([Path, MappingRuleSchema]), { minItems: 1 }),
]);

export type MappingRule = Static<typeof Rule>;
export type MappingRuleObject = Static<typeof MappingRuleSchema>;

const FilterRule = Type.Object(
  { type: oneOf(FILTER_TYPES, 'The type of the filters it makes.'), ...ruleMembers },
  strict,
);
export const CreditRule = Type.Object(
  {
    each: Type.Optional(Rule),
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

export const AvailabilityRule = Type.Object(
  {
    each: Type.Optional(Rule),
    territories: Type.Optional(Rule),
    excludedTerritories: Type.Optional(Rule),
    from: Type.Optional(Rule),
    until: Type.Optional(Rule),
    through: Type.Optional(Rule),
  },
  strict,
);
export const Group = Type.Object(
  {
    rows: oneOf(['consecutive', 'all'], 'Which rows can be of one track.'),
    by: Type.Optional(Rule),
    conflicts: Type.Optional(oneOf(['reject', 'first'], 'What to do with different values.')),
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
          formats: Type.Optional(Type.Array(oneOf(['ndjson', 'json', 'csv', 'xlsx'], 'A format.'))),
          all: Type.Optional(Type.Array(Path)),
          any: Type.Optional(Type.Array(Path)),
          none: Type.Optional(Type.Array(Path)),
        },
        strict,
      ),
    ),
    records: text('The path of the list in a JSON document, such as `data.tracks`.'),
    delimiter: Type.Optional(Delimiter),
    headingLine: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 1000,
        description: 'The line of the heading of a CSV file, or its row in a sheet.',
      }),
    ),
    firstRecordLine: Type.Optional(
      Type.Integer({
        minimum: 2,
        maximum: 1000,
        description: 'The line or row of the first record below several heading lines.',
      }),
    ),
    lastColumnIsList: Type.Optional(
      Type.Boolean({
        description: 'Whether the cells of a CSV file from the last column on are a list.',
      }),
    ),
    sheet: text(
      'The name of the sheet of an Excel workbook. By default the first visible one with track records.',
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
    availability: Type.Optional(Type.Array(AvailabilityRule, { minItems: 1 })),
    group: Type.Optional(Group),
  },
  strict,
);
export type Mapping = Static<typeof Mapping>;
export type MappingCredit = Static<typeof CreditRule>;
export type MappingAvailability = Static<typeof AvailabilityRule>;
export type MappingGroup = Static<typeof Group>;
