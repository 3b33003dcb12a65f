import type { StaveError } from '../../../common/errors.ts';
import { errorDocsUrl } from './error-docs.ts';

/** The content type of every envelope (docs/contract/http.md#content-type). */
export const ENVELOPE_TYPE = 'application/json; charset=utf-8';

/** The `error` member of every successful response (docs/contract/http.md#envelope). */
const NO_ERROR = { code: 0, message: 'OK' } as const;
/** `NO_ERROR` as JSON. */
export const NO_ERROR_JSON = JSON.stringify(NO_ERROR);

/**
 * Returns the envelope of a successful response that repeats members of `data` beside it (`Route.besideData`), as bytes.
 */
export function repeatingEnvelope<Data extends object>(
  data: Data,
  beside: readonly (keyof Data & string)[],
): Buffer {
  const repeated = beside.map((name) => `,${JSON.stringify(name)}:${JSON.stringify(data[name])}`);
  return Buffer.from(
    `{"data":${JSON.stringify(data)},"error":${NO_ERROR_JSON}${repeated.join('')}}`,
  );
}

/** Returns the envelope of a successful response, as bytes. */
export function successEnvelope(data: object): Buffer {
  return Buffer.from(`{"data":${JSON.stringify(data)},"error":${NO_ERROR_JSON}}`);
}

/**
 * Returns the envelope of an error, as bytes. It contains no part of the `cause`. `publicUrl` is the base of the
 * service's own URLs, without a trailing slash.
 */
export function errorEnvelope(
  error: StaveError,
  { requestId, publicUrl }: { requestId: string; publicUrl: string },
): Buffer {
  return Buffer.from(
    JSON.stringify({
      data: error.data,
      error: {
        code: error.status,
        type: error.kind,
        message: error.message,
        // JSON.stringify omits an undefined member.
        details: error.details,
        requestId,
        docs: errorDocsUrl(publicUrl, error.kind),
      },
    }),
  );
}
