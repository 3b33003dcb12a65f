import { type FieldProblem, StaveError } from '../../kernel/errors.ts';
import { invalidRequest } from '../errors.ts';
import { basicCredentials, isBasic } from './basic-credentials.ts';

/** A well-formed request for a token; nothing of it is verified yet. */
export interface TokenRequest {
  clientId: string;
  secret: string;
  /** Space-separated; undefined: all that the client holds. */
  scope: string | undefined;
}

/**
 * Reads body and `Authorization` header of a token request (RFC 6749 §4.4.2 and §2.3.1). Throws
 * invalid_request with every problem there is, then unsupported_grant_type. Members that it does not
 * know are passed over, and empty ones are as good as absent (RFC 6749 §3.2).
 */
export function readTokenRequest(
  body: Readonly<Record<string, unknown>>,
  authorization: string | undefined,
): TokenRequest {
  const problems: FieldProblem[] = [];
  const member = (field: string, required: boolean): string | undefined => {
    const value = Object.hasOwn(body, field) && body[field] !== '' ? body[field] : undefined;
    if (typeof value === 'string') {
      return value;
    }
    if (value !== undefined) {
      problems.push({ field, message: `${field} must be a text` });
    } else if (required) {
      problems.push({ field, message: `${field} is missing` });
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
    if (!credentials?.clientId || !credentials.secret) {
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
