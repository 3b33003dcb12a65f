import { type Static, Type } from 'typebox';
import { MODES } from '../../common/caller.ts';

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
