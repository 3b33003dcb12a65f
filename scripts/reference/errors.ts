import { ERROR_KINDS, type ErrorKind } from '../../src/common/errors.ts';
import {
  OAUTH_ERRORS,
  type OAuthError,
  oauthErrorOf,
} from '../../src/engines/http/response/envelope.ts';
import { generatedFrom } from './generated-from.ts';

function insteadOf(error: OAuthError): string {
  const kinds = (Object.keys(ERROR_KINDS) as ErrorKind[]).filter(
    (kind) => oauthErrorOf(kind) === error,
  );
  return error === 'invalid_request'
    ? 'every other type'
    : kinds.map((kind) => `\`${kind}\``).join(', ');
}

/** Returns docs/reference/errors.md. */
export function errorsPage(): string {
  const rows = Object.entries(ERROR_KINDS)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(
      ([kind, { status, when }]) => `| [\`${kind}\`](../errors.md#${kind}) | ${status} | ${when} |`,
    );
  return `${generatedFrom('src/common/errors.ts')}

# Errors

Every response has the form \`{"data": …, "error": {…}}\`. On success, \`error\` is
\`{"code": 0, "message": "OK"}\`. On an error, \`data\` is \`{}\` (for \`/health-check\` and \`/readyz\`, it still contains the
versions), and \`error\` contains:

| Member | Meaning |
|---|---|
| \`code\` | The HTTP status, as an integer. |
| \`type\` | The kind of error, one of those below. A kind never changes its name or its status. |
| \`message\` | A sentence for people that says what to do. Do not compare it in a program. |
| \`details\` | For validation errors: \`[{"field", "message"}]\`, with all problems of the request. |
| \`requestId\` | The id of the request, also in the header \`X-Request-Id\`. Include it when you ask the operator. |
| \`docs\` | The URL of the section of the [errors guide](../errors.md) about this kind: its cause and its cure. |

| \`type\` | HTTP | When |
|---|---|---|
${rows.join('\n')}

\`POST /oauth/token\` and \`GET /.well-known/oauth-authorization-server\` respond without the envelope, as OAuth
libraries expect: \`{"error": …, "error_description": …, "error_uri": …}\` (RFC 6749 §5.2), with the same HTTP status. Requests
that are not well-formed HTTP get a response with the envelope there too.

| \`error\` | Replaces |
|---|---|
${OAUTH_ERRORS.map((error) => `| \`${error}\` | ${insteadOf(error)} |`).join('\n')}
`;
}
