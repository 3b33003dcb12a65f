import Type from 'typebox';
import { uuid } from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { type Certify, shownLicense } from '../issued-license.ts';
import { requireTimeOfSale } from '../quote.ts';
import type { IssuedLicenseStore } from '../store/issued-license-store.ts';
import { LICENSING_ROUTE, LicenseeSchema, LicenseSchema } from './licensing-schema.ts';

/** POST /v1/licenses: buys the license of a quote (docs/contract/licensing.md#licenses). */
export function createLicense({
  issuedLicenses,
  certify,
  publicUrl,
}: {
  issuedLicenses: Pick<IssuedLicenseStore, 'issue'>;
  certify: Certify;
  publicUrl(): string;
}): Route {
  return route({
    ...LICENSING_ROUTE,
    operationId: 'createLicense',
    method: 'POST',
    path: '/v1/licenses',
    summary: 'Buy the license of a quote',
    description:
      'A quote buys one license, however often and in parallel this is requested: repeated with the same `termsVersion` and `licensee`, it returns that license with 200, also after the quote has expired. Refused with 409 if the terms are not those of the quote, or a track was taken down, licensed to others, or may no longer be licensed in a territory.',
    errors: ['not_found', 'gone', 'conflict'],
    idempotent: true,
    success: { statuses: [201, 200], headers: ['Location'] },
    body: Type.Object(
      {
        quoteId: uuid({ examples: ['0193a4c2-7b10-7c3e-9f10-5d2e8b7a6c41'] }),
        termsVersion: Type.String({
          minLength: 1,
          maxLength: 100,
          description: 'The version of the terms that you accept: that of the quote.',
          examples: ['2026-1'],
        }),
        licensee: LicenseeSchema,
      },
      { title: 'LicenseRequest' },
    ),
    data: LicenseSchema,
    handle({ body, now: arrival, statedNow, change }) {
      requireTimeOfSale(arrival);
      const base = publicUrl();
      const request = { ...body, quoteId: body.quoteId.toLowerCase() };
      return change(
        (context) => issuedLicenses.issue(request, { statedNow, certify }, context),
        ({ license, isNew, now }) => ({
          status: isNew ? 201 : 200,
          data: shownLicense(license, { now, base }),
          headers: { Location: `/v1/licenses/${license.number}` },
        }),
      );
    },
  });
}
