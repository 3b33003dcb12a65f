/**
 * How widely used OAuth libraries of other languages read a token response, as far as it decides between a token and an
 * error. Taken from their source code.
 */

/** The result of a library: a token, or the error that it raises. */
type Reading =
  | { accessToken: string; expiresIn: number; scope: string | undefined }
  | { error: string; description: string | undefined }
  | { unreadable: string };

type Read = (response: { status: number; contentType: string; body: string }) => Reading;

/**
 * oauthlib 4.0.0 `parse_token_response` and `validate_token_parameters`, which requests-oauthlib uses. It ignores the
 * status. A member `error` is a failure, whatever its value.
 */
const oauthlib: Read = ({ body }) => {
  const params = parsed(body);
  if (params === undefined) return { unreadable: 'not JSON' };
  if ('error' in params) {
    // A code without an error class becomes a CustomOAuth2Error with this code.
    return failure(params);
  }
  if (!('access_token' in params)) return { unreadable: 'Missing access token parameter.' };
  return token(params);
};

/**
 * Authlib 1.8.0 `OAuth2Client.parse_response_token`: a status of 500 or above raises an error. Otherwise a member
 * `error` is a failure.
 */
const authlib: Read = ({ status, body }) => {
  if (status >= 500) return { error: `HTTP ${status}`, description: undefined };
  const params = parsed(body);
  if (params === undefined) return { unreadable: 'not JSON' };
  return 'error' in params ? failure(params) : token(params);
};

/**
 * Go's golang.org/x/oauth2 `doTokenRoundTrip`: the body is unmarshalled into a struct of strings and a number, so a
 * member of another type makes it unreadable, and an empty access token is an error.
 */
const xOauth2: Read = ({ status, contentType, body }) => {
  const mediaType = contentType.split(';')[0]!.trim().toLowerCase();
  if (['application/x-www-form-urlencoded', 'text/plain'].includes(mediaType)) {
    return { unreadable: 'read as a form' };
  }
  const isFailure = status < 200 || status > 299;
  const params = parsed(body);
  const texts = ['access_token', 'token_type', 'refresh_token', 'error', 'error_description'];
  const fits =
    params !== undefined &&
    texts.every((name) => ['string', 'undefined'].includes(typeof params[name])) &&
    /^(?:\d+|undefined)$/.test(String(params.expires_in));
  if (!fits) return { unreadable: isFailure ? 'cannot fetch token' : 'cannot parse json' };
  if (isFailure || (params.error ?? '') !== '') return failure(params);
  return (params.access_token ?? '') === ''
    ? { unreadable: 'server response missing access_token' }
    : token(params);
};

/** The readers by the name of their library. */
export const OAUTH_READERS: Readonly<Record<string, Read>> = {
  'requests-oauthlib': oauthlib,
  Authlib: authlib,
  'golang.org/x/oauth2': xOauth2,
};

function parsed(body: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(body);
    return typeof value === 'object' && value !== null ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

function failure({ error, error_description: description }: Record<string, unknown>): Reading {
  return typeof error === 'string'
    ? { error, description: description === undefined ? undefined : String(description) }
    : { unreadable: `an error that is ${JSON.stringify(error)}` };
}

function token({ access_token, expires_in, scope }: Record<string, unknown>): Reading {
  return {
    accessToken: String(access_token),
    expiresIn: Number(expires_in),
    scope: scope === undefined ? undefined : String(scope),
  };
}
