import { useSignal } from '@preact/signals';
import { Failure } from './failure.tsx';
import { signIn } from './session.ts';

/** The first view: asks for the credentials of a client. */
export function SignIn() {
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const submit = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const field = (name: string) =>
      (form.elements.namedItem(name) as HTMLInputElement).value.trim();
    isBusy.value = true;
    failure.value = undefined;
    try {
      await signIn(field('client-id'), field('client-secret'));
    } catch (error) {
      failure.value = error;
    } finally {
      isBusy.value = false;
    }
  };
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
          {failure.value !== undefined && <Failure error={failure.value} />}
          <button type="submit" class="primary" disabled={isBusy.value}>
            {isBusy.value ? 'Signing in …' : 'Sign in'}
          </button>
        </form>
        <p class="meta">
          They stay in the memory of this page, and are gone when you close or reload it.
        </p>
      </div>
      <div class="beside">
        <h2>No credentials yet?</h2>
        <p>
          The operator of this service creates a client for you. On a demo, the first start prints
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
