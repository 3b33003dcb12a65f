import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { FieldProblem } from '../kernel/errors.ts';

/**
 * Each property says its `rule` (what a value must be, as the rejection words it) and its
 * `description` (what it means), so that validation, errors and docs/import.md have one source.
 * Null means the same as absence.
 */
const member = <Schema extends TSchema>(schema: Schema, rule: string, description: string) =>
  Type.Optional(Type.Union([schema, Type.Null()], { rule, description }));

const NumberLike = Type.Union([Type.Number(), Type.String()]);
/** A longer number would be rounded as it is read, and two ids might become one. */
const ExactInteger = Type.Integer({ minimum: 1 - 10 ** 15, maximum: 10 ** 15 - 1 });
const Names = Type.Union([Type.String(), Type.Array(Type.String())]);

const ImportArtist = Type.Object({
  name: Type.String({ rule: 'a text' }),
  role: member(Type.String(), 'a text', 'one word; `MAIN_ARTIST` where absent'),
  isPrimary: member(Type.Boolean(), 'true or false', 'at most one stays primary'),
  externalId: member(
    Type.Union([Type.String(), ExactInteger]),
    'a text or a whole number of up to 15 digits',
    "the supplier's own id of the artist",
  ),
});

const ImportFilter = Type.Object({
  type: Type.String({ rule: 'a text' }),
  name: Type.String({ rule: 'a text' }),
});

/** The import record (decisions §8): what a line of NDJSON holds, and what every mapping makes. */
export const ImportRecord = Type.Object({
  id: member(
    Type.String(),
    'a UUID',
    'The id of the track. Needed where there is no `externalId`; wins where both are given.',
  ),
  externalId: member(
    Type.Union([Type.String(), ExactInteger]),
    'a text or a whole number of up to 15 digits',
    "The supplier's own id; the track's id is derived from it and the source.",
  ),
  name: Type.String({
    rule: 'a text',
    description: 'Needed. Stored as delivered, but for NFC and blanks at its ends.',
  }),
  type: Type.Unsafe<'music' | 'sfx'>({
    type: 'string',
    enum: ['music', 'sfx'],
    rule: '`music` or `sfx`',
    description: 'Needed, but where `--type` sets it.',
  }),
  durationSeconds: member(
    NumberLike,
    'a number of seconds, 0 or more',
    'Rounded, at least 1; 0 or absent: unknown, and read from the audio if there is any.',
  ),
  slug: member(
    Type.String(),
    'lower-case ASCII words joined by hyphens',
    'Made from the name where absent; a taken one gets a numeric suffix.',
  ),
  bpm: member(
    NumberLike,
    'a number between 0 and 1000',
    '`130`, `"130.000000"`; 0 or absent: unknown.',
  ),
  songKey: member(Names, 'a text or a list of texts', '`"C major"`, `["C major", "A minor"]`.'),
  timeSignature: member(Type.String(), 'of the form `<n>/<n>`', '`3/4`.'),
  region: member(
    Type.String(),
    'a region code of letters, digits and hyphens',
    'Where the track may be used; `WORLD` where absent.',
  ),
  releaseDate: member(
    Type.Union([Type.String(), Type.Integer()]),
    'a date such as `2013`, `2011-08-02` or `2011-08-02T10:00:00+02:00`',
    'A bare year means its 1 January. Absent: the time of the first import, and kept.',
  ),
  hasVocals: member(Type.Boolean(), 'true or false', 'False where absent.'),
  isPRO: member(Type.Boolean(), 'true or false', 'False where absent.'),
  tags: member(Type.Array(Type.String()), 'a list of texts', 'Free tags, each once.'),
  isrc: member(Type.String(), 'an ISRC such as `USUAN1100001`', 'Hyphens and case do not matter.'),
  artists: member(
    Type.Array(ImportArtist),
    'a list of `{"name", "role", "isPrimary"}`',
    '`{"name", "role", "isPrimary", "externalId"}` each; a second primary one loses the flag.',
  ),
  filters: member(
    Type.Array(Type.Union([ImportFilter, Type.String()])),
    'a list of `{"type", "name"}` or `"genre:Ambient"`',
    '`{"type": "genre", "name": "Ambient"}` or `"genre:Ambient"`; types are `genre`, `mood`, `use-case`.',
  ),
  audio: member(
    Type.String(),
    'a path relative to the file, or a key of the media store',
    'The audio file: a path relative to the catalog file and beneath its folder, or a key of the media store.',
  ),
  artwork: member(
    Type.String(),
    'a path relative to the file, or a key of the media store',
    'The picture (PNG, JPEG, GIF, WebP, AVIF), found as `audio` is.',
  ),
});
/** A record whose members and types were checked. */
export type ImportRecord = Static<typeof ImportRecord>;

/** The members of the record, in the order the documentation shows them. */
export const RECORD_MEMBERS: readonly string[] = Object.keys(ImportRecord.properties);

const compiled = Compile(ImportRecord);

/** Whether the value has the record's members and types; what the values mean is not yet looked at. */
export function isImportRecord(value: unknown): value is ImportRecord {
  return compiled.Check(value);
}

/** What keeps a value from being an import record: each offending field once, worded by its rule. */
export function recordProblems(value: unknown): FieldProblem[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ field: '', message: 'must be a JSON object' }];
  }
  const problems = new Map<string, FieldProblem>();
  for (const [member, schema] of Object.entries(ImportRecord.properties)) {
    const given: unknown = Object.hasOwn(value, member) ? Reflect.get(value, member) : undefined;
    const needed = member === 'name' || member === 'type';
    if (given === undefined || given === null) {
      if (needed) {
        problems.set(member, { field: member, message: 'is missing' });
      }
    } else if (!checkerOf(member, schema).Check(given)) {
      problems.set(member, { field: member, message: messageOf(member, schema, given) });
    }
  }
  return [...problems.values()];
}

function messageOf(member: string, schema: TSchema, given: unknown): string {
  const rule = (schema as { rule?: string }).rule ?? 'of the right type';
  return `must be ${rule}; ${member === 'artists' || member === 'filters' ? describeEntry(member, given) : `it is ${describe(given)}`}`;
}

/** Names the first entry of a list that is not as it should be. */
function describeEntry(member: 'artists' | 'filters', given: unknown): string {
  if (!Array.isArray(given)) {
    return `it is ${describe(given)}`;
  }
  const entry = ENTRY_CHECKS[member];
  const index = given.findIndex((candidate) => !entry.Check(candidate));
  return `entry ${index + 1} is ${describe(given[index])}`;
}

const ENTRY_CHECKS = {
  artists: Compile(ImportArtist),
  filters: Compile(Type.Union([ImportFilter, Type.String()])),
};

/** A value in few words: a supplier's megabyte does not belong in a report. */
export function describe(value: unknown): string {
  let text: string;
  try {
    text = JSON.stringify(value) ?? 'nothing';
  } catch {
    return 'nested too deeply';
  }
  return text.length > 60 ? `${text.slice(0, 57).toWellFormed()}…` : text.toWellFormed();
}

const checkers = new Map<string, { Check(value: unknown): boolean }>();

function checkerOf(member: string, schema: TSchema): { Check(value: unknown): boolean } {
  let checker = checkers.get(member);
  if (checker === undefined) {
    checker = Compile(schema);
    checkers.set(member, checker);
  }
  return checker;
}
