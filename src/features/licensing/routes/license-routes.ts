import { setImmediate as nextTurn } from 'node:timers/promises';
import Type from 'typebox';
import { oneOf, uuid } from '../../../common/schema-types.ts';
import { NO_ERROR_JSON } from '../../../engines/http/response/envelope.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import { pageMembers, pageResponse, paginated, rangeOf } from '../../../engines/http/schemas.ts';
import { type Certify, LICENSE_STATES, shownLicense } from '../issued-license.ts';
import { requireTimeOfSale } from '../quote.ts';
import type { IssuedLicenseStore } from '../store/issued-license-store.ts';
import {
  LICENSING_ROUTE,
  LicenseeSchema,
  LicenseSchema,
  licenseParams,
} from './licensing-schema.ts';

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
    handle({ body, caller, now: arrival, statedNow, change }) {
      requireTimeOfSale(arrival);
      const base = publicUrl();
      const clientName = caller!.name;
      const request = { ...body, quoteId: body.quoteId.toLowerCase() };
      return change(
        (context) => issuedLicenses.issue(request, { statedNow, certify }, context),
        ({ license, isNew, now }) => ({
          status: isNew ? 201 : 200,
          data: shownLicense(license, { now, base, clientName }),
          headers: { Location: `/v1/licenses/${license.number}` },
        }),
      );
    },
  });
}

/** Pages that a client may request at a time: one of 100 licenses of 100 tracks has some megabytes. */
const MAX_CONCURRENT = 4;
/** The licenses that are serialized before other requests have their turn. */
const WRITTEN_AT_ONCE = 5;

interface Dependencies {
  issuedLicenses: Pick<IssuedLicenseStore, 'list' | 'find'>;
  publicUrl(): string;
}

/** GET /v1/licenses: lists the licenses of the client (docs/contract/licensing.md#licenses). */
export function listLicenses({ issuedLicenses, publicUrl }: Dependencies): Route {
  return route({
    ...LICENSING_ROUTE,
    operationId: 'listLicenses',
    method: 'GET',
    path: '/v1/licenses',
    summary: 'List licenses',
    description: `Yours, the last issued first. A client may request ${MAX_CONCURRENT} pages at a time.`,
    maxConcurrent: MAX_CONCURRENT,
    retrySeconds: 1,
    query: Type.Object({
      ...pageMembers,
      status: Type.Optional(
        oneOf(LICENSE_STATES, { description: 'Only these.', examples: ['active'] }),
      ),
      trackId: Type.Optional(
        uuid({
          description: 'Only licenses of this track.',
          examples: ['3d1a8f34-8b42-5f0c-a8a1-5b8f2f7c9d10'],
        }),
      ),
    }),
    data: paginated(LicenseSchema, 'LicensePage'),
    async handle({ query, caller, now }) {
      const found = await issuedLicenses.list(caller!, {
        status: query.status,
        trackId: query.trackId?.toLowerCase(),
        ...{ now, ...rangeOf(query) },
      });
      const base = publicUrl();
      const written: string[] = [];
      for (const license of found.licenses) {
        if (written.length % WRITTEN_AT_ONCE === 0 && written.length > 0) await nextTurn();
        written.push(
          JSON.stringify(shownLicense(license, { now, base, clientName: caller!.name })),
        );
      }
      const { data, nextPage } = pageResponse(written, found.total, query);
      const { items, ...around } = data;
      const start = JSON.stringify(around).slice(0, -1);
      const text = `{"data":${start},"items":[${items.join()}]},"error":${NO_ERROR_JSON}}`;
      return { envelope: Buffer.from(text), nextPage };
    },
  });
}

/** GET /v1/licenses/{number} (docs/contract/licensing.md#licenses). */
export function showLicense({ issuedLicenses, publicUrl }: Dependencies): Route {
  return route({
    ...LICENSING_ROUTE,
    operationId: 'showLicense',
    method: 'GET',
    path: '/v1/licenses/{number}',
    summary: 'Read a license',
    description: 'One of yours in this mode.',
    errors: ['not_found'],
    params: Type.Object(licenseParams),
    data: LicenseSchema,
    async handle({ params, caller, now }) {
      const license = await issuedLicenses.find(params.number, caller!);
      const { name: clientName } = caller!;
      return { data: shownLicense(license, { now, base: publicUrl(), clientName }) };
    },
  });
}
