import { ERROR_KINDS } from '../../src/kernel/errors.ts';
import { generatedFrom } from './generated-from.ts';

/** docs/reference/errors.md. */
export function errorsPage(): string {
  const rows = Object.entries(ERROR_KINDS)
    .sort(([, a], [, b]) => a.status - b.status)
    .map(([kind, { status, when }]) => `| \`${kind}\` | ${status} | ${when} |`);
  return `${generatedFrom('src/kernel/errors.ts')}

# Errors

Every answer is \`{"data": …, "error": {…}}\`. On success \`error\` is \`{"code": 0, "message": "OK"}\`.
On an error \`data\` is \`{}\` (on \`/health-check\` still the versions), and \`error\` holds:

| Member | Meaning |
|---|---|
| \`code\` | The HTTP status, as an integer. |
| \`type\` | The kind, one of those below. It keeps its name and its status for ever. |
| \`message\` | One sentence that says what to do. For people: do not compare it. |
| \`details\` | On validation errors: \`[{"field", "message"}]\`, every problem of the request. |
| \`requestId\` | Also sent as \`X-Request-Id\`. Quote it when you ask the operator. |

| \`type\` | HTTP | When |
|---|---|---|
${rows.join('\n')}
`;
}
