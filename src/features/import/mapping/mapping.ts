import { type Static, Type } from 'typebox';
import { FILTER_TYPES } from '../../catalog/track-fields.ts';
import { Delimiter, oneOf, Path, Rule, ruleMembers, strict } from './rule-schema.ts';

const FilterRule = Type.Object(
  { type: oneOf(FILTER_TYPES, 'The type of the filters it makes.'), ...ruleMembers },
  strict,
);
/** The rules that make credits. */
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

/** The rules that make entries of the availability. */
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
/** How several rows become one record. */
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
    records: Type.Optional(
      Type.String({
        minLength: 1,
        description: 'The path of the list in a JSON document, such as `data.tracks`.',
      }),
    ),
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
    sheet: Type.Optional(
      Type.String({
        minLength: 1,
        description:
          'The name of the sheet of an Excel workbook. By default the first visible one with track records.',
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
    availability: Type.Optional(Type.Array(AvailabilityRule, { minItems: 1 })),
    group: Type.Optional(Group),
  },
  strict,
);
/** A mapping whose form is checked. */
export type Mapping = Static<typeof Mapping>;
/** The rules that make credits. */
export type MappingCredit = Static<typeof CreditRule>;
/** The rules that make entries of the availability. */
export type MappingAvailability = Static<typeof AvailabilityRule>;
/** How several rows become one record. */
export type MappingGroup = Static<typeof Group>;
