import { type Static, type TSchema, Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { MODES } from '../../common/caller.ts';
import type { FieldProblem } from '../../common/errors.ts';

/** A record of one sold license, as `stave licenses import` reads it (docs/contract/import.md#license-records). */
export const LicenseRecord = Type.Object({
  // A longer number would be rounded, so that two licenses might become one.
  externalId: Type.Union(
    [
      Type.String({ minLength: 1, maxLength: 300 }),
      Type.Integer({ minimum: -(10 ** 15) + 1, maximum: 10 ** 15 - 1 }),
    ],
    {
      rule: 'a text or a whole number of up to 15 digits',
      description:
        'Required. The id of the license. Reading it again corrects the license, or leaves it unchanged.',
    },
  ),
  track: Type.String({
    minLength: 1,
    rule: 'the slug or id of a track',
    description: 'Required. The track that was licensed.',
  }),
  mode: Type.Unsafe<(typeof MODES)[number]>({
    type: 'string',
    enum: [...MODES],
    rule: '`test` or `live`',
    description: 'Required. Popularity is counted separately for each mode.',
  }),
  licensedAt: Type.Union([Type.String({ minLength: 1 }), Type.Integer()], {
    rule: 'a date such as `2026-11-02` or `2026-11-02T10:00:00Z`',
    description: 'Required. The time of the sale. A date without a time means 00:00 UTC.',
  }),
  client: Type.Optional(
    Type.Union([Type.String(), Type.Null()], {
      rule: 'the id of a client',
      description: 'The client that bought it.',
    }),
  ),
});
export type LicenseRecord = Static<typeof LicenseRecord>;

/** The members in the order of the documentation. */
export const LICENSE_MEMBERS: readonly string[] = Object.keys(LicenseRecord.properties);

const compiled = Compile(LicenseRecord);
const members = Object.entries<TSchema & { rule?: string }>(LicenseRecord.properties).map(
  ([name, schema]) => ({
    name,
    rule: schema.rule ?? 'of the right type',
    checker: Compile(schema),
  }),
);

/** Checks members and types, but not whether the track and the client exist. */
export function isLicenseRecord(value: unknown): value is LicenseRecord {
  return compiled.Check(value);
}

/** Returns the problems of a value that is not a license record, at most one for each field. */
export function licenseProblems(value: unknown): FieldProblem[] {
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
