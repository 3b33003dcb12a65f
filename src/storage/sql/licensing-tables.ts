import type { Mode } from '../../access/client.ts';
import {
  boolean,
  integer,
  integerByDefault,
  integerOrNull,
  table,
  text,
  textOf,
  textOrNull,
} from './table-declaration.ts';

/** The tables of rate cards, quotes and the licenses that are sold through the API. */
export const LICENSING_TABLES = {
  rateCards: table(
    1,
    {
      rowId: integerByDefault,
      name: text,
      version: integer,
      document: text,
      publishedAt: integer,
      withdrawnAt: integerOrNull,
      by: text,
    },
    { hasLongRows: true },
  ),
  quotes: table(
    1,
    {
      rowId: integerByDefault,
      id: text,
      clientId: text,
      mode: textOf<Mode>(),
      rateCardRowId: integerOrNull,
      request: text,
      document: text,
      amountMinor: integer,
      currency: text,
      createdAt: integer,
      expiresAt: integer,
      licenseRowId: integerOrNull,
    },
    { hasLongRows: true },
  ),
  issuedLicenses: table(
    1,
    {
      rowId: integerByDefault,
      number: text,
      clientId: text,
      mode: textOf<Mode>(),
      quoteRowId: integer,
      document: text,
      certificate: text,
      amountMinor: integer,
      currency: text,
      issuedAt: integer,
      startsAt: integer,
      endsAt: integerOrNull,
      revokedAt: integerOrNull,
      reason: textOrNull,
    },
    { hasLongRows: true },
  ),
  issuedLicenseTracks: table(2, {
    licenseRowId: integer,
    position: integer,
    trackId: text,
    exclusive: boolean,
  }),
  licenseCounters: table(2, { mode: textOf<Mode>(), year: integer, last: integer }),
} as const;
