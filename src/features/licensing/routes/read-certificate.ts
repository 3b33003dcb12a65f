import { hash } from 'node:crypto';
import Type from 'typebox';
import { StaveError } from '../../../common/errors.ts';
import { evaluatePreconditions } from '../../../engines/http/response/preconditions.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { PdfMaker } from '../pdf/pdf-maker.ts';
import { decimalsOf } from '../shown-amount.ts';
import type { IssuedLicenseStore } from '../store/issued-license-store.ts';
import { LICENSING_ROUTE, licenseParams } from './licensing-schema.ts';

/** Where the licenses of clients are. */
interface Licenses {
  issuedLicenses: Pick<IssuedLicenseStore, 'find'>;
}

/** GET /v1/licenses/{number}/certificate: the signed certificate alone (docs/contract/certificates.md#certificate). */
export function readCertificate({ issuedLicenses }: Licenses): Route {
  return route({
    ...LICENSING_ROUTE,
    operationId: 'readCertificate',
    method: 'GET',
    path: '/v1/licenses/{number}/certificate',
    summary: 'Download the certificate of a license',
    description:
      'The compact JWS (RFC 7515) that `certificate` of the license contains, and nothing else. `/.well-known/jwks.json` has the keys that verify it.',
    errors: ['not_found'],
    params: Type.Object(licenseParams),
    query: Type.Object({}),
    data: undefined,
    produces: ['application/jose'],
    async handle({ params, caller }) {
      const { clientId, mode } = caller!;
      const { certificate } = await issuedLicenses.find(params.number, { clientId, mode });
      return { body: Buffer.from(certificate), contentType: 'application/jose' };
    },
  });
}

/** GET /v1/licenses/{number}/certificate.pdf: the license for people (docs/contract/certificates.md#pdf). */
export function readCertificatePdf({
  issuedLicenses,
  pdfs,
}: Licenses & { pdfs: Pick<PdfMaker, 'pdfOf'> }): Route {
  return route({
    ...LICENSING_ROUTE,
    operationId: 'readCertificatePdf',
    method: 'GET',
    path: '/v1/licenses/{number}/certificate.pdf',
    summary: 'Download a license as a PDF',
    description:
      'The license and its price for people, with the certificate attached as `certificate.jws`. The bytes of a license are always the same. A name with characters outside of the Latin, Greek and Cyrillic scripts is printed in Latin letters, with the ISRC or the id of the track.',
    errors: ['not_found', 'precondition_failed'],
    params: Type.Object(licenseParams),
    query: Type.Object({}),
    data: undefined,
    produces: ['application/pdf'],
    async handle({ params, caller, headers }) {
      const { clientId, mode } = caller!;
      const license = await issuedLicenses.find(params.number, { clientId, mode });
      const { number, certificate, amountMinor, currency } = license;
      const minorUnit = decimalsOf(license);
      const pdf = await pdfs.pdfOf({ certificate, amountMinor, currency, minorUnit }, clientId);
      const etag = `"${hash('sha256', pdf, 'hex')}"`;
      const told = {
        ETag: etag,
        'Content-Disposition': `inline; filename="license-${number}.pdf"`,
      };
      const contentType = 'application/pdf';
      switch (evaluatePreconditions(headers, { etag, modifiedMs: undefined })) {
        case 'failed':
          throw new StaveError(
            'precondition_failed',
            'The PDF is not the one that the condition names.',
          );
        case 'not-modified':
          return { status: 304, headers: told, body: null, contentType };
        default:
          return { headers: told, body: pdf, contentType };
      }
    },
  });
}
