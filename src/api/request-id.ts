import { randomUUID } from 'node:crypto';

/** An incoming id is kept when it is 1 to 64 letters, digits, `.`, `_` or `-`; a UUID or a ULID is. */
const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/;

/** The id that names a request in the answer and in the log: the caller's own where it is well-formed. */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : randomUUID();
}
