import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { MODES } from '../access/client.ts';
import type { FieldProblem } from '../kernel/errors.ts';

/** One licence sold, as `stave licenses import` reads it (decisions §8). */
export const LicenceRecord = Type.Object({
  // A longer number would be rounded, and two licences might become one.
  externalId: Type.Union(
    [
      Type.String({ minLength: 1, maxLength: 300 }),
      Type.Integer({ minimum: -(10 ** 15) + 1, maximum: 10 ** 15 - 1 }),
    ],
    {
      rule: 'a text or a whole number of up to 15 digits',
      description: 'Needed. Names the licence: read again, it is corrected or left as it is.',
    },
  ),
  track: Type.String({
    minLength: 1,
    rule: 'the slug or id of a track',
    description: 'Needed. The slug or id of the track.',
  }),
  mode: Type.Unsafe<(typeof MODES)[number]>({
    type: 'string',
    enum: [...MODES],
    rule: '`test` or `live`',
    description: 'Needed. Popularity counts each mode by itself.',
  }),
  licensedAt: Type.Union([Type.String({ minLength: 1 }), Type.Integer()], {
    rule: 'a date such as `2026-11-02` or `2026-11-02T10:00:00Z`',
    description: 'Needed. When it was sold; a date without a time means its first instant in UTC.',
  }),
  client: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      rule: 'the id of a client',
      description: 'The client that bought it.',
    }),
  ),
});
/** A record whose members and types were checked. */
export type LicenceRecord = Static<typeof LicenceRecord>;

/** In the order the documentation shows them. */
export const LICENCE_MEMBERS: readonly string[] = Object.keys(LicenceRecord.properties);

const compiled = Compile(LicenceRecord);
const members = Object.entries<TSchema & { rule?: string }>(LicenceRecord.properties).map(
  ([name, schema]) => ({
    name,
    rule: schema.rule ?? 'of the right type',
    checker: Compile(schema),
  }),
);

/** Whether the value has the members and types of a licence record; whom it names is not looked at. */
export function isLicenceRecord(value: unknown): value is LicenceRecord {
  return compiled.Check(value);
}

/** What keeps a value from being a licence record, each field once. */
export function licenceProblems(value: unknown): FieldProblem[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return [{ field: '', message: 'must be a JSON object' }];
  }
  return members.flatMap(({ name, rule, checker }) => {
    const given: unknown = Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
    if (given === undefined || given === null || given === '') {
      return name === 'client' ? [] : [{ field: name, message: 'is missing' }];
    }
    return checker.Check(given) ? [] : [{ field: name, message: `must be ${rule}` }];
  });
}
