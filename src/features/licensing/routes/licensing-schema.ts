import Type from 'typebox';
import { MODES } from '../../../common/caller.ts';
import {
  contractName,
  country,
  flag,
  integer,
  integerOrNull,
  madeBy,
  oneOf,
  openEnum,
  slug,
  text,
  textOrNull,
  timestamp,
  timestampOrNull,
  uuid,
} from '../../../common/schema-types.ts';
import { TRACK_FIELDS } from '../../catalog/track-fields.ts';
import { LICENSE_STATES } from '../issued-license.ts';
import { MAX_QUOTED_TRACKS, type PriceStep } from '../price.ts';
import { QUOTE_STATES } from '../quote.ts';

export const LICENSING_ROUTE = {
  tag: 'Licensing',
  access: { scope: 'licensing', feature: 'licensing' },
  requestHeaders: ['X-Stave-Now'],
} as const;

const ID = '0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41';
const NUMBER = '2026-000123-7K2QX9MD';

export const quoteParams = {
  id: text('The id of the quote, in either case.', ID),
};

export const licenseParams = {
  number: text('The number of the license, in either case.', NUMBER),
};

export const LicenseeSchema = Type.Object(
  {
    name: contractName(200, {
      description: 'The person or company that gets the license.',
      examples: ['Lighthouse Film GmbH'],
    }),
    country: country({ examples: ['DE'] }),
    email: Type.Optional(
      Type.String({
        maxLength: 254,
        pattern: '^[^\\s@\\u0000-\\u0020\\u007f-\\u009f]+@[^\\s@\\u0000-\\u0020\\u007f-\\u009f]+$',
        'x-rule': 'be an email address of at most 254 characters',
        description: 'In no certificate.',
        examples: ['rights@lighthouse.example'],
      }),
    ),
  },
  { title: 'Licensee' },
);

const StepSchema = Type.Object(
  {
    step: openEnum(
      [
        'base',
        'media',
        'territory',
        'term',
        'audience',
        'exclusive',
        'surcharge',
        'volume',
        'minimum',
      ] satisfies PriceStep['step'][],
      { examples: ['territory'] },
    ),
    value: text(
      'A decimal: a factor, or of `base` and `minimum` an amount in minor units of the currency.',
      '1.2',
    ),
    codes: Type.Optional(
      Type.Array(Type.String(), { description: 'Of `media`.', examples: [['online']] }),
    ),
    code: Type.Optional(text('Of `territory` and `term`.', 'DACH')),
    upTo: Type.Optional(
      integerOrNull('Of `audience`: the bound of the step; null for the last one.', null),
    ),
    filterSlug: Type.Optional(slug({ description: 'Of `surcharge`.', examples: ['premium'] })),
    from: Type.Optional(
      Type.Integer({
        description: 'Of `volume`: the number of tracks from which it applies.',
        examples: [10],
      }),
    ),
  },
  { title: 'PriceStep', description: 'A step of a price.' },
);

const ItemSchema = Type.Object(
  {
    trackId: uuid({ examples: ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'] }),
    slug: slug({ examples: ['night-ferry'] }),
    name: Type.String({ examples: ['Night Ferry'] }),
    amountMinor: integer('The price in minor units of the currency, net of tax.', 18_000),
    breakdown: Type.Array(StepSchema, {
      description:
        'How the price is computed. The product of all steps but `minimum`, rounded half up, is the price before the minimum.',
    }),
  },
  { title: 'QuoteItem' },
);

export const moneyMembers = {
  currency: text('ISO 4217.', 'EUR'),
  minorUnit: integer('The number of decimals of the currency.', 2),
};

export const termsMembers = {
  termsVersion: text('The version of the terms of the license.', '2026-1'),
  termsUrl: Type.String({ examples: ['https://house.example/terms/2026-1'] }),
};

const project = Type.Object(
  {
    name: Type.String({ examples: ['Spring ad'] }),
    reference: Type.Optional(Type.String({ examples: ['SPOT-4711'] })),
    productionId: Type.Optional(Type.String({ examples: ['ep-7'] })),
  },
  { description: 'As requested.' },
);
const purchaseOrder = textOrNull(
  'Your number of the order; null if you gave none.',
  'PO-2026-0815',
);
const media = Type.Array(Type.String(), { examples: [['online', 'social']] });
const territories = Type.Array(Type.String(), { examples: [['DE', 'AT']] });

/** A quote (docs/contract/licensing.md#quotes). */
export const QuoteSchema = Type.Object(
  {
    id: uuid({ examples: [ID] }),
    status: openEnum(QUOTE_STATES, { examples: ['open'] }),
    items: Type.Array(ItemSchema, {
      maxItems: MAX_QUOTED_TRACKS,
      description: 'The tracks in the order of the request.',
    }),
    amountMinor: integer('The sum of the items.', 18_000),
    ...moneyMembers,
    rateCard: Type.Object(
      {
        name: Type.String({ examples: ['standard'] }),
        version: Type.Integer({ minimum: 0, examples: [3] }),
      },
      {
        description:
          'What has priced it. Version 0: the fixture track where there is no rate card.',
      },
    ),
    ...termsMembers,
    media,
    territories,
    term: Type.String({ examples: ['P1Y'] }),
    startsAt: timestampOrNull({
      description: 'Null if the license starts when it is issued.',
      examples: ['2026-12-01T00:00:00.000Z'],
    }),
    audience: Type.Optional(integer('Present if the rate card has steps.', 50_000)),
    exclusive: Type.Boolean({ examples: [false] }),
    parts: flag('Whether the license will include stems and versions.', false),
    project,
    purchaseOrder,
    remainingLimit: integerOrNull(
      'What you may still spend on licenses in this month (UTC) and mode, in minor units. Null if the licensor has set no limit, or the limit is in another currency.',
      320_000,
    ),
    by: madeBy(),
    createdAt: timestamp({ examples: ['2026-11-21T10:00:00.000Z'] }),
    expiresAt: timestamp({
      description: 'Until then, the price stays as it is.',
      examples: ['2026-12-05T10:00:00.000Z'],
    }),
    licenseNumber: textOrNull('The number of the license that it has bought.', null),
  },
  { title: 'Quote', description: 'The price of a use of tracks.' },
);

/** A track of a license, as it was named when the license was issued. */
const LicensedTrackSchema = Type.Object(
  {
    trackId: uuid({ examples: ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'] }),
    name: Type.String({ examples: ['Night Ferry'] }),
    artists: Type.Array(Type.String(), {
      description: 'The names, the primary artist first.',
      examples: [['Mara Lindt']],
    }),
    isrc: text('`""` if unknown.', 'QZES72400137'),
    provenance: Type.Optional(TRACK_FIELDS.provenance),
    takenDown: flag('Whether the track is taken down now. The license stays valid.', false),
  },
  { title: 'TrackOfLicense' },
);

/** A license (docs/contract/licensing.md#licenses). */
export const LicenseSchema = Type.Object(
  {
    number: Type.String({ examples: [NUMBER] }),
    status: openEnum(LICENSE_STATES, { examples: ['active'] }),
    mode: oneOf(MODES, { examples: ['live'] }),
    quoteId: uuid({ examples: [ID] }),
    licensee: Type.Object({
      name: Type.String({ examples: ['Lighthouse Film GmbH'] }),
      country: Type.String({ examples: ['DE'] }),
      email: Type.Optional(Type.String({ examples: ['rights@lighthouse.example'] })),
    }),
    project,
    purchaseOrder,
    media,
    territories,
    exclusive: Type.Boolean({ examples: [false] }),
    parts: flag('Whether it includes the stems and versions of its tracks.', false),
    by: madeBy(),
    startsAt: timestamp({ examples: ['2026-12-01T00:00:00.000Z'] }),
    endsAt: timestampOrNull({
      description: 'The first moment after the term. Null if it does not end.',
      examples: ['2027-12-01T00:00:00.000Z'],
    }),
    tracks: Type.Array(LicensedTrackSchema, { maxItems: MAX_QUOTED_TRACKS }),
    amountMinor: integer('The price in minor units of the currency, net of tax.', 18_000),
    currency: moneyMembers.currency,
    ...termsMembers,
    issuedAt: timestamp({ examples: ['2026-11-21T10:05:00.000Z'] }),
    certificate: text(
      'A signed statement of the license: a compact JWS (RFC 7515).',
      'eyJhbGciOiJFZDI1NTE5In0.eyJqdGkiOiIyMDI2LTAwMDEyMyJ9.c2lnbmF0dXJl',
    ),
    pdfUrl: Type.String({
      examples: [`https://api.house.example/v1/licenses/${NUMBER}/certificate.pdf`],
    }),
    verifyUrl: Type.String({
      examples: [`https://api.house.example/v1/licenses/${NUMBER}/verify`],
    }),
  },
  { title: 'License', description: 'The right to use tracks, as a quote describes it.' },
);
