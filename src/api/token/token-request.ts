import { type FieldProblem, StaveError } from '../../common/errors.ts';
import { invalidRequest } from '../../http/errors.ts';
import { meantNames } from '../../http/name-hint.ts';
import { shortened } from '../../http/problems.ts';
import { holdsBadText } from '../../http/text-check.ts';
import { basicCredentials, isBasic } from './basic-credentials.ts';

/** A well-formed token request, not yet verified. */
export interface TokenRequest {
  clientId: string;
  secret: string;
  /** Space-separated; undefined means all scopes of the client. */
  scope: string | undefined;
}

/**
 * Reads the body and the `Authorization` header of a token request (RFC 6749 §4.4.2 and §2.3.1).
 * Throws invalid_request with all problems, or else unsupported_grant_type. Ignores unknown
 * members, and treats empty ones as absent (RFC 6749 §3.2).
 */
export function readTokenRequest(
  body: Readonly<Record<string, unknown>>,
  authorization: string | undefined,
): TokenRequest {
  const problems: FieldProblem[] = [];
  const member = (field: string, required: boolean): string | undefined => {
    const value = Object.hasOwn(body, field) && body[field] !== '' ? body[field] : undefined;
    if (typeof value === 'string') {
      if (holdsBadText(value)) {
        problems.push({ field, message: `${field} must not hold NUL or half of a surrogate pair` });
      }
      return value;
    }
    if (value !== undefined) {
      problems.push({ field, message: `${field} must be a text` });
    } else if (required) {
      problems.push({ field, message: `${field} is missing${misnamed(body, field)}` });
    }
    return undefined;
  };

  const inHeader = isBasic(authorization);
  const grantType = member('grant_type', true);
  let clientId = member('client_id', !inHeader);
  let secret = member('client_secret', !inHeader);
  const scope = member('scope', false);
  if (inHeader) {
    for (const [field, value] of Object.entries({ client_id: clientId, client_secret: secret })) {
      if (value !== undefined) {
        problems.push({
          field,
          message: `${field} must not be in the body beside HTTP Basic credentials`,
        });
      }
    }
    const credentials = basicCredentials(authorization);
    if (!credentials?.clientId || !credentials.secret || holdsBadText(credentials)) {
      problems.push({
        field: 'Authorization',
        message:
          'the Authorization header must be "Basic" and the base64 of client id, a colon and the secret',
      });
    }
    ({ clientId, secret } = credentials ?? {});
  }

  if (problems.length > 0 || !grantType || !clientId || !secret) {
    throw invalidRequest(problems);
  }
  if (grantType !== 'client_credentials') {
    throw new StaveError(
      'unsupported_grant_type',
      'The grant type is not supported; send grant_type "client_credentials".',
    );
  }
  return { clientId, secret, scope };
}

const MEMBERS = new Set(['grant_type', 'client_id', 'client_secret', 'scope']);

/** How many members are compared for a name hint. A token request has four. */
const MAX_LOOKED_AT = 20;

/** Returns a hint if a member such as `clientId` probably stands for the missing one. */
function misnamed(body: Readonly<Record<string, unknown>>, field: string): string {
  const name = Object.keys(body)
    .slice(0, MAX_LOOKED_AT)
    .find((one) => !MEMBERS.has(one) && meantNames(one, [field]).length > 0);
  return name === undefined ? '' : `; ${shortened(name)} is not read, call it ${field}`;
}
