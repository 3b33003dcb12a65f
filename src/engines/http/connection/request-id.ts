import { randomUUID } from 'node:crypto';

/** A valid id: 1 to 64 letters, digits, `.`, `_` or `-`. UUIDs and ULIDs are valid. */
const WELL_FORMED = /^[A-Za-z0-9._-]{1,64}$/;

/**
 * Returns the id of a request in its response and in the log: the caller's own id if it is valid, or a new
 * UUID.
 */
export function requestIdFrom(header: string | string[] | undefined): string {
  return typeof header === 'string' && WELL_FORMED.test(header) ? header : randomUUID();
}
