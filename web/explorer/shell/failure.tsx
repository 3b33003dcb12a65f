import { StaveApiError, StaveConnectionError, StaveError, StaveTimeoutError } from '#client';

/** What to do about an error, by its `type`. */
const ADVICE: Readonly<Record<string, string>> = {
  invalid_request: 'Change what the message names.',
  payload_too_large: 'Choose a smaller one.',
  invalid_client: 'Check both values. If the secret was revoked, ask the operator for a new one.',
  invalid_token: 'Sign out, and sign in again.',
  insufficient_scope: 'Ask the operator to give your client this scope.',
  feature_not_enabled: 'Ask the operator to switch this contract feature on for your client.',
  not_found: 'It may have been removed. Go back to the catalog.',
  gone: 'It is no longer available. Choose another one.',
  conflict: 'Do what the message says, or open the list again.',
  rate_limited: 'Wait a minute, and try again. The request log shows how many requests are left.',
  unavailable: 'The service is busy or starts. Try again in a few seconds.',
  internal_error: 'Try again. If it fails again, send the request id to the operator.',
};

interface Explanation {
  message: string;
  advice: string;
  requestId: string | null;
  /** A page about the error. */
  docs: string | null;
}

/** Returns what a person needs to know about an error. */
export function explain(error: unknown): Explanation {
  if (error instanceof StaveApiError) {
    const { type, details, requestId, docs } = error;
    const problems = details
      .filter((detail) => !error.message.startsWith(detail.message))
      .map(({ field, message }) => `${field}: ${message}`)
      .join('; ');
    return {
      message: problems === '' ? error.message : `${error.message} ${problems}`,
      advice: ADVICE[type] ?? 'If it stays like this, send the request id to the operator.',
      requestId,
      docs: docs ?? 'docs/errors',
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StaveTimeoutError) {
    return { message, advice: 'The service is slow. Try again.', requestId: null, docs: null };
  }
  if (error instanceof StaveConnectionError) {
    const advice = 'Check your connection, and try again.';
    return { message, advice, requestId: null, docs: null };
  }
  const advice =
    error instanceof StaveError
      ? 'The address of the page may be wrong. Go back to the catalog.'
      : 'Load the page again.';
  return { message, advice, requestId: null, docs: null };
}

/** An error: its message, what to do, and the id of the request. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { message, advice, requestId, docs } = explain(error);
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{message}</strong>
      </p>
      <p>{advice}</p>
      {requestId !== null && (
        <p class="meta">
          Request id <code>{requestId}</code>
          {docs !== null && (
            <>
              {' · '}
              <a href={docs} target="_blank" rel="noreferrer">
                About errors
              </a>
            </>
          )}
        </p>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
