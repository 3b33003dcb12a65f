import { StaveError } from '../../../common/errors.ts';

/**
 * The error for a bearer token, with its challenge. By RFC 6750 §3.1, the challenge has no error code if the
 * request had no token.
 */
export function invalidToken(message: string, options: { noTokenSent?: boolean } = {}): StaveError {
  const challenge = 'Bearer realm="stave"';
  return new StaveError('invalid_token', message, {
    headers: {
      'WWW-Authenticate': options.noTokenSent ? challenge : `${challenge}, error="invalid_token"`,
    },
  });
}
