import type { StaveError } from '../kernel/errors.ts';

/** The content type of every envelope (decisions §1). */
export const ENVELOPE_TYPE = 'application/json; charset=utf-8';

/** `error` of every successful answer (decisions §1). */
export const NO_ERROR = { code: 0, message: 'OK' } as const;
/** The same as text. */
export const NO_ERROR_JSON = JSON.stringify(NO_ERROR);

/** The bytes of a successful answer around `data`. */
export function successEnvelope(data: object): Buffer {
  return Buffer.from(`{"data":${JSON.stringify(data)},"error":${NO_ERROR_JSON}}`);
}

/** The bytes of a failed answer. Nothing of `cause` is in them. */
export function errorEnvelope(error: StaveError, requestId: string): Buffer {
  return Buffer.from(
    JSON.stringify({
      data: error.data,
      error: {
        code: error.status,
        type: error.kind,
        message: error.message,
        // Left out by JSON.stringify where undefined.
        details: error.details,
        requestId,
      },
    }),
  );
}
