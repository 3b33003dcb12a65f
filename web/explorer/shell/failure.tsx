import { StaveApiError, StaveConnectionError, StaveError, StaveTimeoutError } from '#client';
import { type Key, t } from '../texts/texts.ts';

/** What to do about an error, by its `type`. */
const ADVICE: Readonly<Record<string, Key>> = {
  invalid_request: 'adviceInvalidRequest',
  payload_too_large: 'advicePayloadTooLarge',
  invalid_client: 'adviceInvalidClient',
  invalid_token: 'adviceInvalidToken',
  insufficient_scope: 'adviceInsufficientScope',
  feature_not_enabled: 'adviceFeatureNotEnabled',
  not_found: 'adviceNotFound',
  gone: 'adviceGone',
  conflict: 'adviceConflict',
  rate_limited: 'adviceRateLimited',
  unavailable: 'adviceUnavailable',
  internal_error: 'adviceInternalError',
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
      advice: t(ADVICE[type] ?? 'adviceUnknown'),
      requestId,
      docs: docs ?? 'docs/errors',
    };
  }
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof StaveTimeoutError) {
    return { message, advice: t('adviceSlow'), requestId: null, docs: null };
  }
  if (error instanceof StaveConnectionError) {
    const advice = t('adviceConnection');
    return { message, advice, requestId: null, docs: null };
  }
  const advice = error instanceof StaveError ? t('adviceAddress') : t('adviceReload');
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
          {t('requestId')} <code>{requestId}</code>
          {docs !== null && (
            <>
              {' · '}
              <a href={docs} target="_blank" rel="noreferrer">
                {t('aboutErrors')}
              </a>
            </>
          )}
        </p>
      )}
      {retry && (
        <button type="button" onClick={retry}>
          {t('tryAgain')}
        </button>
      )}
    </div>
  );
}
