import { StaveError } from '../kernel/errors.ts';

/**
 * The refusal of a bearer token, with its challenge. RFC 6750 §3.1: a request that brought no token
 * at all is told no error code in it.
 */
export function invalidToken(message: string, options: { noTokenSent?: boolean } = {}): StaveError {
  const challenge = 'Bearer realm="stave"';
  return new StaveError('invalid_token', message, {
    headers: {
      'WWW-Authenticate': options.noTokenSent ? challenge : `${challenge}, error="invalid_token"`,
    },
  });
}
