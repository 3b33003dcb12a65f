import type { Clock } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import { limited } from '../../../common/work/limited.ts';
import { type ConsoleStore, isConsolePassword } from '../../../features/access/console-password.ts';
import { type Html, html } from '../pages/html.ts';
import { barePage, LOGO } from '../pages/layout.ts';
import { deviceCookie, deviceOf } from './devices.ts';
import { LoginAttempts } from './login-attempts.ts';
import type { Sessions } from './sessions.ts';

/** Each check of a password takes 32 MiB, and a thread that files are read with. */
const CHECKS_AT_ONCE = 1;
const CHECK_WAIT_MS = 10_000;

/** The result of an attempt to log in: the values of two cookies, or why it failed. */
export type LoginResult =
  | { session: string; device: string }
  | { status: number; problem: string; retryAfter?: number };

/** What the form of the login shows. */
export interface LoginForm {
  /** The page to which it leads. */
  next: string;
  notice?: string;
  /** Why the last attempt failed. */
  problem?: string;
}

/** Logs the operator in. */
export class Login {
  readonly #store: ConsoleStore;
  readonly #sessions: Sessions;
  readonly #attempts: LoginAttempts;
  readonly #checks = limited(CHECKS_AT_ONCE, {
    ms: CHECK_WAIT_MS,
    tooLong: () => new StaveError('unavailable', 'Too many attempts run at once; try again.'),
  });

  constructor({
    store,
    sessions,
    clock,
  }: { store: ConsoleStore; sessions: Sessions; clock: Clock }) {
    this.#store = store;
    this.#sessions = sessions;
    this.#attempts = new LoginAttempts({ clock });
  }

  /**
   * Tries a password. Throws `unavailable` if too many tries run at once.
   *
   * @param from.network the network of the caller
   * @param from.device the cookie of the browser, if it has one
   */
  async try(
    given: string,
    from: { network: string; device: string | undefined },
  ): Promise<LoginResult> {
    const stored = await this.#store.password();
    if (stored === undefined) return { status: 503, problem: 'No password is set yet.' };
    const device = deviceOf(stored, from.device);
    const wait = this.#attempts.begin({ ...from, device });
    if (wait !== undefined) {
      const problem = `Too many wrong passwords. Wait ${wait} s, then try again.`;
      return { status: 429, problem, retryAfter: wait };
    }
    if (!(await this.#checks(() => isConsolePassword(stored, given)))) {
      return { status: 401, problem: 'That is not the password.' };
    }
    this.#attempts.succeed({ ...from, device });
    return { session: this.#sessions.start(stored), device: deviceCookie(stored, device) };
  }

  async page(shown: LoginForm): Promise<string> {
    const isSet = (await this.#store.password()) !== undefined;
    return barePage('Log in', html`<h1>${LOGO} Stave console</h1>${isSet ? form(shown) : UNSET}`);
  }
}

const UNSET: Html = html`<p>No password is set yet. On the machine of this service, run:</p>
<pre><code>stave console password</code></pre>
<p>Then load this page again.</p>`;

function form({ next, notice, problem }: LoginForm): Html {
  return html`<form method="post" action="/login" class="stack">
<input type="hidden" name="next" value="${next}">
${notice !== undefined && html`<p role="status">${notice}</p>`}
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024" autofocus${
    problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`
  }>
${problem !== undefined && html`<p id="problem" class="problem-text" role="alert">${problem}</p>`}
<button class="primary">Log in</button>
</form>`;
}
