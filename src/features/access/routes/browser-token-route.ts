import Type from 'typebox';
import { BROWSER_SCOPES, digestOf, isPageOrigin } from '../../../common/browser-use.ts';
import type { Scope } from '../../../common/caller.ts';
import { StaveError } from '../../../common/errors.ts';
import { line } from '../../../common/schema-types.ts';
import { type Route, route } from '../../../engines/http/route/route.ts';
import type { ClientRegistry } from '../registry.ts';
import { TOKEN_SECONDS, type TokenIssuer } from '../tokens.ts';
import { NO_STORE, tokenMembers } from './token-routes.ts';

const MAX_ORIGINS = 20;

const BrowserTokenRequest = Type.Object(
  {
    origins: Type.Array(Type.String({ maxLength: 300, examples: ['https://editor.example'] }), {
      minItems: 1,
      maxItems: MAX_ORIGINS,
      uniqueItems: true,
      description:
        'The origins of the pages that will use the token, as browsers send them: `https`, or `http` on loopback.',
      examples: [['https://editor.example']],
    }),
    scopes: Type.Optional(
      Type.Array(Type.String({ maxLength: 64 }), {
        maxItems: 50,
        description: `Which of ${BROWSER_SCOPES.join(', ')} the token gets; by default those that the token of the request has.`,
        examples: [['tracks', 'search', 'filters']],
      }),
    ),
    expiresIn: Type.Optional(
      Type.Integer({
        minimum: 60,
        maximum: TOKEN_SECONDS,
        default: TOKEN_SECONDS,
        description: 'Seconds.',
        examples: [TOKEN_SECONDS],
      }),
    ),
    user: Type.Optional(
      line(64, {
        description:
          'Your name or id of the person who uses the page, who then has a rate limit of their own. Stave does not keep it.',
        examples: ['user-4711'],
      }),
    ),
  },
  { title: 'BrowserTokenRequest' },
);

/**
 * POST /v1/auth/browser-token: gives a token that the client's pages may use
 * (docs/contract/authentication.md#browser-tokens).
 */
export function browserTokenRoute({
  registry,
  issuer,
}: {
  registry: Pick<ClientRegistry, 'find'>;
  issuer: Pick<TokenIssuer, 'issue'>;
}): Route {
  return route({
    operationId: 'createBrowserToken',
    method: 'POST',
    path: '/v1/auth/browser-token',
    tag: 'Authentication',
    summary: 'Get a token for pages in browsers',
    description:
      'Call it from your server, and give the token to your page. It reads tracks, filters and playlists, and searches, from the named origins, with 120 requests a minute for each user. It ends with the secret that your own token came from.',
    access: 'any-token',
    errors: ['invalid_scope'],
    body: BrowserTokenRequest,
    checkBody: ({ origins }) =>
      (origins ?? []).flatMap((origin, i) =>
        origin === undefined || isPageOrigin(origin)
          ? []
          : [{ field: `origins[${i}]`, message: `origins[${i}] must ${RULE}` }],
      ),
    success: { statuses: [201] },
    data: Type.Object(tokenMembers, { title: 'BrowserToken' }),
    async handle({ body, caller }) {
      const { clientId, secretId, mode, scopes: held, isOfSession } = caller!;
      // It would outlive its session.
      if (isOfSession) {
        throw new StaveError(
          'forbidden',
          'Only a token that came from a client secret gives tokens for browsers.',
        );
      }
      const { origins, expiresIn: seconds = TOKEN_SECONDS, user } = body;
      const scopes = scopesOf(held, body.scopes);
      const further = {
        org: origins.map(digestOf),
        ...(user !== undefined && { usr: digestOf(user) }),
      };
      const client = registry.find(clientId)!;
      return {
        data: {
          access_token: await issuer.issue({ client, secretId, mode, scopes, seconds, further }),
          token_type: 'Bearer' as const,
          expires_in: seconds,
          scope: scopes.join(' '),
        },
        headers: NO_STORE,
      };
    },
  });
}

const RULE =
  'be an origin as browsers send it, such as https://editor.example: with https, or with http on loopback, and without a path or a slash at the end';

/** Returns the scopes of the token, in alphabetical order. Throws `invalid_scope` for any other, and for none. */
function scopesOf(held: ReadonlySet<Scope>, asked: readonly string[] | undefined): Scope[] {
  const possible = BROWSER_SCOPES.filter((scope) => held.has(scope));
  if (possible.length === 0) {
    throw new StaveError(
      'invalid_scope',
      `Your own token has none of the scopes that a browser token may have: ${BROWSER_SCOPES.join(', ')}.`,
    );
  }
  const isPossible = (scope: string): scope is Scope => possible.includes(scope as Scope);
  const scopes = asked ?? possible;
  const allowed = `it may be ${possible.join(', ')}`;
  const details = scopes.flatMap((scope, i) =>
    isPossible(scope)
      ? []
      : [{ field: `scopes[${i}]`, message: `scopes[${i}] is not possible: ${allowed}` }],
  );
  if (details.length === 0 && scopes.length > 0)
    return [...new Set(scopes.filter(isPossible))].sort();
  throw new StaveError(
    'invalid_scope',
    `A browser token needs at least one scope, and has only those of your own token that are for browsers: ${possible.join(', ')}.`,
    { ...(details.length > 0 && { details }) },
  );
}
