import { go, withPanel } from '../browse/location.ts';
import { locale, t } from '../texts/texts.ts';
import { Panel } from './panel.tsx';
import { type Entry, entries, remaining } from './request-log.ts';
import { BASE_URL, session } from './session.ts';

/** What the page has requested, newest first: a model of what a program would do. */
export function LogPanel() {
  const { limit, windowSeconds } = session.value!.me.rateLimit;
  return (
    <Panel isText title={t('requestLog')} close={() => go(withPanel(undefined))}>
      <p class="meta">
        {t('requestsLeft', { n: remaining.value ?? limit, limit, seconds: windowSeconds })}
      </p>
      <ol class="log">
        {entries.value.map((entry) => (
          <LogEntry key={entry.number} entry={entry} />
        ))}
      </ol>
    </Panel>
  );
}

function LogEntry({ entry }: { entry: Entry }) {
  const { method, url, operation, status, durationMs, rateLimitRemaining, requestId } = entry;
  const isFailed = status === null || status >= 400;
  return (
    <li>
      <p class="request">
        <span class={isFailed ? 'status failed' : 'status'}>{status ?? t('none')}</span>
        <code>
          {method} {decodeURI(url.replace(BASE_URL, ''))}
        </code>
      </p>
      <p class="meta">
        {new Date(entry.endedAt).toLocaleTimeString(locale())} · {operation} ·{' '}
        {Math.round(durationMs)} ms
        {rateLimitRemaining !== null && ` · ${t('left', { n: rateLimitRemaining })}`}
      </p>
      {requestId !== null && (
        <p class="meta">
          {t('requestId')} <code>{requestId}</code>
        </p>
      )}
    </li>
  );
}
