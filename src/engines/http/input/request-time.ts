import { parseTime } from '../../../common/time/rfc3339.ts';
import { type Headers, headerOf } from '../response/entity-tags.ts';
import { invalidRequest } from '../response/errors.ts';

const FIELD = 'X-Stave-Now';

/**
 * Returns the time that a request with a test token states, in milliseconds since the epoch; undefined if it
 * states none. Throws `invalid_request` for a malformed one (docs/contract/http.md#time-of-a-test-request).
 */
export function statedTime(headers: Headers): number | undefined {
  const value = headerOf(headers, 'x-stave-now');
  if (value === undefined) {
    return undefined;
  }
  const time = parseTime(value);
  if (time === undefined) {
    const message = `${FIELD} must be one time of RFC 3339, such as 2026-11-21T10:40:10.000Z`;
    throw invalidRequest([{ field: FIELD, message }]);
  }
  return time;
}
