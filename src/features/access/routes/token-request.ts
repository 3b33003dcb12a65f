import { type FieldProblem, type NamedClient, StaveError } from '../../../common/errors.ts';
import { isUuid } from '../../../common/ids.ts';
import { meantNames, shortened } from '../../../engines/http/input/problems.ts';
import { decoded } from '../../../engines/http/input/query.ts';
import { holdsBadText } from '../../../engines/http/input/schema/schema-check.ts';
import type { ApiRequest } from '../../../engines/http/route/route.ts';

/** The only grant (RFC 6749 §4.4). */
const GRANT = 'client_credentials';

/** Its credentials are not verified. */
export interface TokenRequest {
  clientId: string;
  secret: string;
  /** Space-separated; undefined means all scopes of the client. */
  scope: string | undefined;
}

/**
 * Returns the problems of the body and the `Authorization` header of a token request (RFC 6749 §4.4.2 and
 * §2.3.1). Unknown members are none, and empty ones count as absent (RFC 6749 §3.2). A request of another grant has
 * none: `readTokenRequest` refuses it, whatever credentials such a grant needs.
 */
export function tokenRequestProblems(
  body: Readonly<Record<string, unknown>>,
  authorization: HeaderValue,
): FieldProblem[] {
  const problems: FieldProblem[] = [];
  const inHeader = isBasic(authorization);
  checkMember(body, 'grant_type', true, problems);
  if (problems.length === 0 && body.grant_type !== GRANT) return [];
  for (const field of ['client_id', 'client_secret']) {
    checkMember(body, field, !inHeader, problems);
    if (inHeader && typeof givenMember(body, field) === 'string') {
      problems.push({
        field,
        message: `${field} must not be in the body beside HTTP Basic credentials`,
      });
    }
  }
  checkMember(body, 'scope', false, problems);
  if (inHeader) {
    const credentials = basicCredentials(authorization);
    if (!credentials?.clientId || !credentials.secret || holdsBadText(credentials)) {
      problems.push({
        field: 'Authorization',
        message:
          'the Authorization header must be "Basic" and the base64 of client id, a colon and the secret',
      });
    }
  }
  return problems;
}

function checkMember(
  body: Readonly<Record<string, unknown>>,
  field: string,
  isRequired: boolean,
  problems: FieldProblem[],
): void {
  const value = givenMember(body, field);
  if (value === undefined) {
    if (isRequired)
      problems.push({ field, message: `${field} is missing${misnamed(body, field)}` });
  } else if (typeof value !== 'string') {
    problems.push({ field, message: `${field} must be a text` });
  } else if (holdsBadText(value)) {
    problems.push({ field, message: `${field} must not hold NUL or half of a surrogate pair` });
  }
}

/** Returns a member of the body; undefined if it is empty. */
function givenMember(body: Readonly<Record<string, unknown>>, field: string): unknown {
  return Object.hasOwn(body, field) && body[field] !== '' ? body[field] : undefined;
}

/** Reads a token request without problems. Throws unsupported_grant_type. */
export function readTokenRequest(
  body: Readonly<Record<string, unknown>>,
  authorization: HeaderValue,
): TokenRequest {
  if (givenMember(body, 'grant_type') !== GRANT) {
    throw new StaveError(
      'unsupported_grant_type',
      `The grant type is not supported; send grant_type "${GRANT}".`,
      { client: clientNamedIn(body, authorization) },
    );
  }
  const { clientId, secret } = isBasic(authorization)
    ? basicCredentials(authorization)!
    : { clientId: body.client_id as string, secret: body.client_secret as string };
  return { clientId, secret, scope: givenMember(body, 'scope') as string | undefined };
}

/** Returns the client that an invalid token request names, for the log. */
export function clientNamedIn(body: unknown, authorization: HeaderValue): NamedClient | undefined {
  const { client_id: inBody } = (body ?? {}) as { client_id?: unknown };
  const clientId = isBasic(authorization) ? basicCredentials(authorization)?.clientId : inBody;
  return typeof clientId === 'string' && isUuid(clientId) ? { clientId } : undefined;
}

const MEMBERS = new Set(['grant_type', 'client_id', 'client_secret', 'scope']);

/** The most members that are compared for a name hint. A token request has four. */
const MAX_LOOKED_AT = 20;

/** Returns a hint if a member such as `clientId` probably stands for the missing one. */
function misnamed(body: Readonly<Record<string, unknown>>, field: string): string {
  const name = Object.keys(body)
    .slice(0, MAX_LOOKED_AT)
    .find((one) => !MEMBERS.has(one) && meantNames(one, [field]).length > 0);
  return name === undefined ? '' : `; ${shortened(name)} is not read, call it ${field}`;
}

export type HeaderValue = ApiRequest['headers'][string];

/** Token68 of RFC 9110 §11.2, in the alphabet of Basic. */
const BASIC = /^basic +([A-Za-z0-9+/]+={0,2})$/i;

/** Whether the client authenticates by HTTP Basic. The endpoint ignores other schemes. */
export function isBasic(authorization: HeaderValue): authorization is string {
  return typeof authorization === 'string' && /^basic(?: |$)/i.test(authorization);
}

/**
 * Parses client id and secret from HTTP Basic, each form-decoded after the split (RFC 6749 §2.3.1). Returns
 * undefined if the header is malformed.
 */
export function basicCredentials(
  authorization: string,
): { clientId: string; secret: string } | undefined {
  const encoded = BASIC.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const pair = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  if (colon === -1) return undefined;
  const clientId = decoded(pair.slice(0, colon));
  const secret = decoded(pair.slice(colon + 1));
  return clientId === undefined || secret === undefined ? undefined : { clientId, secret };
}
