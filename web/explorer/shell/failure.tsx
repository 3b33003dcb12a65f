import { StaveApiError, StaveConnectionError, StaveError, StaveTimeoutError } from '#client';
import { type Key, t } from '../texts/texts.ts';

/** What an error means and what to do about it, by its `type`. The message of the service is in English. */
const MEANINGS: Readonly<Record<string, readonly [title: Key, advice: Key]>> = {
  invalid_request: ['errorInvalidRequest', 'adviceInvalidRequest'],
  payload_too_large: ['errorTooLarge', 'advicePayloadTooLarge'],
  invalid_client: ['errorInvalidClient', 'adviceInvalidClient'],
  invalid_token: ['errorInvalidToken', 'adviceInvalidToken'],
  insufficient_scope: ['errorAccess', 'adviceInsufficientScope'],
  feature_not_enabled: ['errorAccess', 'adviceFeatureNotEnabled'],
  forbidden: ['errorAccess', 'adviceUnknown'],
  not_found: ['errorNotFound', 'adviceNotFound'],
  gone: ['errorGone', 'adviceGone'],
  conflict: ['errorConflict', 'adviceConflict'],
  precondition_failed: ['errorConflict', 'adviceConflict'],
  rate_limited: ['errorRateLimited', 'adviceRateLimited'],
  unavailable: ['errorUnavailable', 'adviceUnavailable'],
  internal_error: ['errorInternal', 'adviceInternalError'],
};

interface Explanation {
  title: string;
  /** What the service says, in English. */
  message?: string;
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
    const [title, advice] = MEANINGS[type] ?? ['errorInternal', 'adviceUnknown'];
    return {
      title: t(title),
      message: problems === '' ? error.message : `${error.message} ${problems}`,
      advice: t(advice),
      requestId,
      docs: docs ?? 'docs/errors',
    };
  }
  const rest = { requestId: null, docs: null };
  if (error instanceof StaveTimeoutError) {
    return { ...rest, title: t('errorSlow'), advice: t('adviceSlow') };
  }
  if (error instanceof StaveConnectionError) {
    return { ...rest, title: t('errorConnection'), advice: t('adviceConnection') };
  }
  const message = error instanceof Error ? error.message : String(error);
  const advice = error instanceof StaveError ? t('adviceAddress') : t('adviceReload');
  return { ...rest, title: t('errorInternal'), message, advice };
}

/** An error: what it means, what the service says, what to do, and the id of the request. */
export function Failure({ error, retry }: { error: unknown; retry?: () => void }) {
  const { title, message, advice, requestId, docs } = explain(error);
  return (
    <div class="failure" role="alert">
      <p>
        <strong>{title}</strong>
      </p>
      {message !== undefined && (
        <p lang="en" dir="auto">
          {message}
        </p>
      )}
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
