import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import { Failure } from './failure.tsx';
import { resume, signIn } from './session.ts';

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
          <p>Loading …</p>
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
        <p>Search, play and license the tracks of this catalog, with the access of your client.</p>
        <form onSubmit={submit}>
          <label>
            Client id
            <input name="client-id" required autocomplete="username" spellcheck={false} />
          </label>
          <label>
            Client secret
            <input name="client-secret" type="password" required autocomplete="current-password" />
          </label>
          <label class="check">
            <input name="keep" type="checkbox" /> Keep me signed in for 30 days
          </label>
          {failure.value !== undefined && <Failure error={failure.value} />}
          <button type="submit" class="primary" disabled={isBusy.value}>
            {isBusy.value ? 'Signing in …' : 'Sign in'}
          </button>
        </form>
        <p class="meta">
          They stay in the memory of this page. To keep you signed in, the browser gets a cookie
          that no page can read.
        </p>
      </div>
      <div class="beside">
        <h2>No credentials?</h2>
        <p>
          With a sign-in link, you need none: open the link that you got. The operator of this
          service makes links, and creates clients for programs. On a demo, the first start prints
          the credentials of two clients.
        </p>
        <h2>Build with the API</h2>
        <ul>
          <li>
            <a href="docs/getting-started">Getting started</a>
          </li>
          <li>
            <a href="docs/searching">Searching</a>
          </li>
          <li>
            <a href="docs">API reference and all guides</a>
          </li>
          <li>
            <a href="openapi.json">OpenAPI document</a>
          </li>
        </ul>
      </div>
    </main>
  );
}
