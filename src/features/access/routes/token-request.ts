import { type FieldProblem, StaveError } from '../../../common/errors.ts';
import { meantNames, shortened } from '../../../engines/http/input/problems.ts';
import { holdsBadText } from '../../../engines/http/input/schema/schema-check.ts';
import { basicCredentials, type HeaderValue, isBasic } from './basic-credentials.ts';

/** The only grant (RFC 6749 §4.4). */
const GRANT = 'client_credentials';

/** A well-formed token request, not yet verified. */
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
    if (isRequired) {
      problems.push({ field, message: `${field} is missing${misnamed(body, field)}` });
    }
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
    );
  }
  const { clientId, secret } = isBasic(authorization)
    ? basicCredentials(authorization)!
    : { clientId: body.client_id as string, secret: body.client_secret as string };
  return { clientId, secret, scope: givenMember(body, 'scope') as string | undefined };
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
