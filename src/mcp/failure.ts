import type { CallToolResult } from '@modelcontextprotocol/server';
import { StaveApiError, StaveConnectionError, type StaveError } from '#client';

const CORRECT = 'Correct the arguments as the message says, and call the tool again.';
const CHOOSE =
  'Find another slug or id with a tool that lists or searches, and call the tool again.';
const ASK_OPERATOR =
  'Do not call the tool again. Tell the user to ask the operator of the catalog.';
const LATER = 'If it fails again, tell the user, and name the request.';

/** What a model does next, by the kind of error. The service has more kinds, which calls of tools do not meet. */
const NEXT: Readonly<Partial<Record<StaveApiError['type'], string>>> = {
  invalid_request: CORRECT,
  payload_too_large: CORRECT,
  not_found: CHOOSE,
  gone: CHOOSE,
  insufficient_scope: ASK_OPERATOR,
  feature_not_enabled: ASK_OPERATOR,
  invalid_token: ASK_OPERATOR,
  invalid_client: ASK_OPERATOR,
  rate_limited: `Wait, and call the tool again. ${LATER}`,
  unavailable: `Wait, and call the tool again. ${LATER}`,
  request_timeout: `Call the tool again. ${LATER}`,
  internal_error: `Call the tool again once. ${LATER}`,
};

/**
 * The result of a call that the API or the client library refused, or that did not reach the API. It says what a model
 * does next.
 */
export function failure(error: StaveError): CallToolResult {
  if (error instanceof StaveApiError) return refusal(error);
  if (error instanceof StaveConnectionError) return unreachable(error);
  const { message } = error;
  const content = { type: 'invalid_request', message, next: CORRECT };
  return result(content, [`invalid_request: ${message}`, CORRECT]);
}

function unreachable({ message }: StaveConnectionError): CallToolResult {
  const next =
    'Call the tool again after a minute. If it fails again, tell the user that the catalog cannot be reached.';
  return result({ type: 'unreachable', message, next }, [`unreachable: ${message}`, next]);
}

function refusal(error: StaveApiError): CallToolResult {
  const { type, message, details, requestId, docs, retryAfterSeconds } = error;
  const usual = NEXT[type] ?? `Do not call the tool again. Tell the user, and name the request.`;
  const next =
    retryAfterSeconds === null
      ? usual
      : usual.replace(/^Wait,/, `Wait ${Math.ceil(retryAfterSeconds)} seconds,`);
  return result({ type, message, details, requestId, docs, next }, [
    `${type}: ${message}`,
    ...details.map((one) => `${one.field}: ${one.message}`),
    next,
    ...(docs === null ? [] : [`cause and cure: ${docs}`]),
    ...(requestId === null ? [] : [`request ${requestId}`]),
  ]);
}

function result(error: Record<string, unknown>, lines: readonly string[]): CallToolResult {
  return {
    isError: true,
    structuredContent: { error },
    content: [{ type: 'text', text: lines.join('\n') }],
  };
}
