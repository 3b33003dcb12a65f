import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { t } from '../texts/texts.ts';
import { Failure } from './failure.tsx';
import { PageLanguage } from './page-language.tsx';
import { hasEnded, resume, signIn } from './session.ts';

/** The first view: continues the session of the browser, or asks for the credentials of a client. */
export function SignIn() {
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const isResuming = useSignal(true);
  useEffect(() => {
    resume()
      .catch((error) => {
        failure.value = error;
      })
      .finally(() => {
        isResuming.value = false;
      });
  }, []);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const field = (name: string) =>
      (form.elements.namedItem(name) as HTMLInputElement).value.trim();
    isBusy.value = true;
    failure.value = undefined;
    try {
      const keep = form.elements.namedItem('keep') as HTMLInputElement;
      await signIn(field('client-id'), field('client-secret'), keep.checked);
    } catch (error) {
      failure.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  if (isResuming.value) {
    return (
      <main class="sign-in">
        <div class="card">
          <h1 tabIndex={-1}>Stave</h1>
          <p>{t('loading')}</p>
        </div>
      </main>
    );
  }
  return (
    <main class="sign-in">
      <div class="card">
        <h1 tabIndex={-1}>
          <span class="mark" aria-hidden="true" /> Stave
        </h1>
        <p>{t('signInLead')}</p>
        {hasEnded.value && (
          <p class="failure" role="alert">
            {t('sessionEnded')}
          </p>
        )}
        <form onSubmit={submit}>
          <label>
            {t('clientId')}
            <input name="client-id" required autocomplete="username" spellcheck={false} />
          </label>
          <label>
            {t('clientSecret')}
            <input name="client-secret" type="password" required autocomplete="current-password" />
          </label>
          <label class="check">
            <input name="keep" type="checkbox" /> {t('keepSignedIn')}
          </label>
          {failure.value !== undefined && <Failure error={failure.value} />}
          <button type="submit" class="primary" disabled={isBusy.value}>
            {t(isBusy.value ? 'signingIn' : 'signIn')}
          </button>
        </form>
        <p class="meta">{t('signInMemory')}</p>
        <PageLanguage />
      </div>
      <div class="beside">
        <h2>{t('noCredentials')}</h2>
        <p>{t('noCredentialsHelp')}</p>
        <h2>{t('buildWithApi')}</h2>
        <ul>
          <li>
            <a href="docs/getting-started">{t('gettingStarted')}</a>
          </li>
          <li>
            <a href="docs/searching">{t('searching')}</a>
          </li>
          <li>
            <a href="docs">{t('reference')}</a>
          </li>
          <li>
            <a href="openapi.json">{t('openApiDocument')}</a>
          </li>
        </ul>
      </div>
    </main>
  );
}
