import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { Refusal, unlock } from './api.ts';
import { isClosedNow, open, state } from './collection.ts';
import { Notice } from './notice.tsx';
import { t } from './texts/texts.ts';

/** Asks for the password. */
export function Lock() {
  const field = useRef<HTMLInputElement>(null);
  const isSending = useSignal(false);
  const problem = useSignal('');
  useEffect(() => field.current?.focus(), []);
  // Browsers keep the cookie that opens the link only where nobody else can read it.
  if (!isSecureContext) return <Notice title={t('insecureTitle')}>{t('insecure')}</Notice>;
  const send = async () => {
    isSending.value = true;
    problem.value = '';
    try {
      await unlock(field.current!.value);
      await open();
      if (state.value === 'locked') problem.value = t('noCookie');
    } catch (error) {
      problem.value = await reasonOf(error);
      field.current?.select();
    } finally {
      isSending.value = false;
    }
  };
  const wrong = problem.value !== '' && { 'aria-invalid': true, 'aria-describedby': 'problem' };
  return (
    <form
      class="notice"
      onSubmit={(event) => {
        event.preventDefault();
        void send();
      }}
    >
      <h1>{t('lockedTitle')}</h1>
      <p>{t('lockedHint')}</p>
      <label>
        {t('password')}
        <input
          ref={field}
          type="password"
          required
          maxLength={128}
          autocomplete="current-password"
          {...wrong}
        />
      </label>
      <p id="problem" class="problem" role="alert">
        {problem.value}
      </p>
      <button type="submit" class="primary" disabled={isSending.value}>
        {t('open')}
      </button>
    </form>
  );
}

async function reasonOf(error: unknown): Promise<string> {
  if (!(error instanceof Refusal)) return t('offline');
  const { status, seconds } = error;
  // The page then shows that the link has ended.
  if (status === 404 && (await isClosedNow())) return '';
  if (status === 401 || status === 400) return t('wrongPassword');
  return status === 429 ? t('tooManyPasswords', { n: seconds }) : t('busy');
}
