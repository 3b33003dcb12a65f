import { type Static, type TObject, type TSchema, Type } from 'typebox';
import { Compile, type Validator } from 'typebox/compile';
import type { FieldProblem } from '../../common/errors.ts';
import { keptIn } from '../../common/memory/caches.ts';
import { isObject } from '../../common/text/json.ts';
import { AI_PARTS } from '../catalog/provenance.ts';
import type { DeliveredField } from '../catalog/track-values.ts';

/**
 * Each property has a `rule` (what a value must be, as a rejection says it) and a `description`
 * (what the value means). Validation, errors and docs/import.md are made of these. Null means
 * absent.
 */
const member = <Schema extends TSchema>(schema: Schema, rule: string, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { rule, description }));

const NumberLike = Type.Union([Type.Number(), Type.String()]);
/** A longer number is rounded when it is parsed, so that two ids could become one. */
const ExactInteger = Type.Integer({ minimum: 1 - 10 ** 15, maximum: 10 ** 15 - 1 });
const Names = Type.Union([Type.String(), Type.Array(Type.String())]);

const ImportArtist = Type.Object({
  name: Type.String({ rule: 'a text' }),
  role: member(Type.String(), 'a text', 'one word; if absent: `MAIN_ARTIST`'),
  isPrimary: member(Type.Boolean(), 'true or false', 'at most one stays primary'),
  externalId: member(
    Type.Union([Type.String(), ExactInteger]),
    'a text or a whole number of up to 15 digits',
    "the supplier's own id of the artist",
  ),
  ipi: member(NumberLike, '9 to 11 digits', 'the IPI name number of a writer or publisher'),
  society: member(Type.String(), 'a text of 40 characters at most', 'the society of the party'),
  sharePercent: member(
    NumberLike,
    'a number between 0 and 100 with two decimals at most',
    'the share of the party',
  ),
});

const ImportTranslation = Type.Object({
  name: Type.String({ rule: 'a text' }),
  tags: member(Type.Array(Type.String()), 'a list of texts', 'free tags'),
});

const ImportFilter = Type.Object({
  type: Type.String({ rule: 'a text' }),
  name: Type.String({ rule: 'a text' }),
});

const ImportFilters = Type.Array(Type.Union([ImportFilter, Type.String()]));

/** A stem or an alternate version. What its members mean is checked by `canonicalParts`. */
const ImportPart = Type.Object({
  kind: member(Type.String(), 'a kind of parts', 'what the part is'),
  name: member(Type.String(), 'a text', 'the name that partners see'),
  audio: member(Type.String(), 'a path or a key', 'the audio file, as for `audio`'),
  durationSeconds: member(NumberLike, 'a number of seconds', 'if absent: read from the audio'),
});
const ImportParts = Type.Array(ImportPart);
/** Codes and moments are checked by `canonicalAvailability`. */
const ImportAvailability = Type.Object({
  territories: member(Type.Array(Type.String()), 'a list of country codes', 'if absent: worldwide'),
  excludedTerritories: member(
    Type.Array(Type.String()),
    'a list of country codes',
    'without which `territories` count',
  ),
  from: member(Type.String(), 'a date or a time', 'the first moment'),
  until: member(Type.String(), 'a date or a time', 'the first moment after the period'),
});
const PART_RULE =
  'a list of `{"kind", "name", "audio", "durationSeconds"}`, 64 stems and versions at most';

/**
 * The import record (docs/contract/import.md#import-record): the content of a line of NDJSON, and
 * the result of every mapping.
 */
export const ImportRecord = Type.Object({
  id: member(
    Type.String(),
    'a UUID',
    'The id of the track. Required without `externalId`; takes precedence over it.',
  ),
  externalId: member(
    Type.Union([Type.String(), ExactInteger]),
    'a text or a whole number of up to 15 digits',
    "The supplier's id of the track. Stave derives the track's id from it and the source.",
  ),
  name: Type.String({
    rule: 'a text',
    description: 'Required. Stored in NFC, without white space at both ends.',
  }),
  type: Type.Unsafe<'music' | 'sfx'>({
    type: 'string',
    enum: ['music', 'sfx'],
    rule: '`music` or `sfx`',
    description: 'Required, unless `--type` sets it.',
  }),
  durationSeconds: member(
    NumberLike,
    'a number of seconds, 0 or more',
    'Rounded, at least 1. If 0 or absent: read from the audio, otherwise unknown.',
  ),
  slug: member(
    Type.String(),
    'lower-case ASCII words joined by hyphens',
    'If absent: derived from the name. A slug that is taken gets a numeric suffix.',
  ),
  bpm: member(
    NumberLike,
    'a number between 0 and 1000',
    'Such as `130` or `"130.000000"`. If 0 or absent: unknown.',
  ),
  songKey: member(
    Names,
    'a text or a list of texts',
    'Such as `"C major"` or `["C major", "A minor"]`.',
  ),
  timeSignature: member(Type.String(), 'of the form `<n>/<n>`', 'Such as `3/4`.'),
  region: member(
    Type.String(),
    'a region code of letters, digits and hyphens',
    'Where the track may be used. If absent: `WORLD`.',
  ),
  releaseDate: member(
    Type.Union([Type.String(), Type.Integer()]),
    'a date such as `2013`, `2011-08-02` or `2011-08-02T10:00:00+02:00`',
    'A year means 1 January of that year. If absent: the time of the first import, which later imports keep.',
  ),
  hasVocals: member(
    Type.Boolean(),
    'true or false',
    'True with vocals, false for an instrumental. If absent: unknown.',
  ),
  isPRO: member(Type.Boolean(), 'true or false', 'If absent: false.'),
  tags: member(Type.Array(Type.String()), 'a list of texts', 'Free tags, without duplicates.'),
  isrc: member(Type.String(), 'an ISRC such as `USUAN1100001`', 'Hyphens and case do not matter.'),
  iswc: member(
    Type.String(),
    '`T-034.524.680-1` or its eleven characters, with a correct check digit',
    'The ISWC of the work. If absent: the stored one stays; an empty text removes it.',
  ),
  artists: member(
    Type.Array(ImportArtist),
    'a list of `{"name", "role", "isPrimary"}`',
    'Objects of the form `{"name", "role", "isPrimary", "externalId", "ipi", "society", "sharePercent"}`. Only the first primary artist keeps the flag.',
  ),
  filters: member(
    ImportFilters,
    'a list of `{"type", "name"}` or `"genre:Ambient"`',
    'Such as `{"type": "genre", "name": "Ambient"}` or `"genre:Ambient"`. The types are `genre`, `mood` and `use-case`.',
  ),
  audio: member(
    Type.String(),
    'a path relative to the file, or a key of the media store',
    'The audio file: a path relative to the catalog file and below its folder, or a key of the media store.',
  ),
  artwork: member(
    Type.String(),
    'a path relative to the file, or a key of the media store',
    'The picture (PNG, JPEG, GIF, WebP, AVIF): a path or a key, as for `audio`.',
  ),
  previewStartSeconds: member(
    NumberLike,
    'a whole number between 0 and 86400',
    'The second of the audio at which the preview clip begins. If absent: the stored one stays; an empty text removes it.',
  ),
  preview: member(
    Type.String(),
    'a path relative to the file, or a key of the media store',
    'The preview clip, instead of the one that Stave makes: an MP3 file of 60 s at most. A path or a key, as for `audio`. If absent: the stored one stays; an empty text removes it.',
  ),
  waveform: member(
    Type.String(),
    'a path relative to the file, or a key of the media store',
    'The waveform, instead of the one that Stave makes: [audiowaveform data](#preview-clips-and-waveforms). A path or a key, as for `audio`. If absent: the stored one stays; an empty text removes it.',
  ),
  stems: member(
    ImportParts,
    PART_RULE,
    'The [stems](#stems-and-versions): the tracks of the mix. `audio` is a path or a key, as for `audio`; `name` and `durationSeconds` may be absent. If absent: the stored ones stay; `[]` removes them.',
  ),
  versions: member(
    ImportParts,
    PART_RULE,
    'The [alternate versions](#stems-and-versions), in the form of `stems`. If absent: the stored ones stay; `[]` removes them.',
  ),
  language: member(
    Type.String(),
    'a language tag such as `de` or `pt-BR`',
    'The language of `name` and `tags`. If absent: the stored one stays, which is at first that of the catalog; an empty text stands for that of the catalog.',
  ),
  translations: member(
    Type.Record(Type.String(), ImportTranslation),
    'an object of `{"name", "tags"}` by language tag',
    'The name and the tags in other languages: `{"de": {"name": "Nachtfähre", "tags": ["Klavier"]}}`, 50 languages at most. If absent: the stored ones stay; `{}` removes them.',
  ),
  ai: member(
    Type.String(),
    '`none`, `assisted`, `generated` or `unknown`',
    'How much of the track a machine made. If absent: unknown.',
  ),
  aiParts: member(
    Names,
    `a list of ${AI_PARTS.join(', ')}`,
    'What a machine made, such as `["vocals"]`. Only where `ai` is not `none`.',
  ),
  trainingAllowed: member(
    Type.Boolean(),
    'true or false',
    'Whether machines may learn from the track. If absent: unknown.',
  ),
  provenanceStatement: member(
    Type.String(),
    'a text of 500 characters at most',
    'The supplier’s own words about `ai` and `trainingAllowed`, which partners see.',
  ),
  availability: member(
    Type.Array(ImportAvailability),
    'a list of `{"territories", "excludedTerritories", "from", "until"}`, 100 at most',
    'The [periods and territories](#availability) in which the track is available: `[{"territories": ["DE", "AT"], "from": "2026-01-01", "until": "2027-01-01"}]`. If absent: the stored ones stay; `[]` removes them, so that the track is always available everywhere.',
  ),
} satisfies Record<DeliveredField, TSchema> & Record<string, TSchema>);
export type ImportRecord = Static<typeof ImportRecord>;

export const RECORD_MEMBERS: readonly string[] = Object.keys(ImportRecord.properties);

const checks = new Map<TSchema, Pick<Validator, 'Check'>>();

/** Returns the compiled check of a schema. Each is compiled once, when a record first needs it. */
function checkOf(schema: TSchema): Pick<Validator, 'Check'> {
  return keptIn(checks, schema, () => Compile(schema));
}

const compiled = Compile(ImportRecord);

/** Whether the value has the members and types of the record, whatever the values mean. */
export function isImportRecord(value: unknown): value is ImportRecord {
  return compiled.Check(value);
}

/** Returns what is wrong with members and types, once per field, worded by its rule. */
export function recordProblems(value: unknown): FieldProblem[] {
  return memberProblems(ImportRecord, value, (member, given) => {
    const isWord = member === 'type' && typeof given === 'string';
    const advice = isWord ? ' (`values` of a mapping replaces words)' : '';
    return `; ${describeFault(member, given)}${advice}`;
  });
}

/**
 * Returns the members that a record lacks, and those that break the rule of their schema.
 * @param more what follows the rule in the message
 */
export function memberProblems(
  record: TObject,
  value: unknown,
  more: (member: string, given: unknown) => string,
): FieldProblem[] {
  if (!isObject(value)) return [{ field: '', message: 'must be a JSON object' }];
  return Object.entries<TSchema & { rule?: string }>(record.properties).flatMap(
    ([field, schema]) => {
      const given: unknown = Object.hasOwn(value, field) ? Reflect.get(value, field) : undefined;
      if (given === undefined || given === null) {
        return record.required?.includes(field) ? [{ field, message: 'is missing' }] : [];
      }
      if (checkOf(schema).Check(given)) return [];
      const rule = schema.rule ?? 'of the right type';
      return [{ field, message: `must be ${rule}${more(field, given)}` }];
    },
  );
}

/** Describes a value, or the first invalid entry of a list. */
function describeFault(member: string, given: unknown): string {
  const schema = ENTRIES[member];
  if (schema === undefined || !Array.isArray(given)) return `it is ${describe(given)}`;
  const index = given.findIndex((candidate) => !checkOf(schema).Check(candidate));
  return `entry ${index + 1} is ${describe(given[index])}`;
}

const ENTRIES: Readonly<Record<string, TSchema>> = {
  artists: ImportArtist,
  filters: ImportFilters.items,
  stems: ImportPart,
  versions: ImportPart,
  availability: ImportAvailability,
};

/** Describes a value by its first 60 characters, so that a huge value does not fill the report, and shows `<U+200B>`. */
export function describe(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? 'nothing';
  } catch {
    return 'nested too deeply';
  }
  const short = text.length > 60 ? `${text.slice(0, 57)}…` : text;
  return short.toWellFormed().replace(UNSEEN, (sign) => `<${codePoint(sign)}>`);
}

/** Characters that look like nothing, or like a space. Marks that turn the direction are replaced where texts are printed. */
const UNSEEN = /(?![\u202a-\u202e\u2066-\u2069 ])[\p{Cf}\p{Zs}\u115f\u1160\u3164\uffa0]/gu;

function codePoint(sign: string): string {
  return `U+${sign.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}`;
}
