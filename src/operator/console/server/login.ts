import type { Log } from '../../../common/log.ts';
import { normalName, type Operator } from '../../../features/access/operator.ts';
import { setOwnPassword, setPasswordByLink } from '../../../features/access/operators.ts';
import type { PasswordThrottle } from '../../../features/access/password-throttle.ts';
import { isPassword } from '../../../features/access/passwords.ts';
import type { OperatorStore } from '../../../features/access/store/operator-store.ts';
import { type Html, html } from '../pages/html.ts';
import { barePage, LOGO } from '../pages/layout.ts';
import { field } from '../pages/parts.ts';

/** The result of an attempt to log in: the operator, or why it failed. */
export type LoginResult =
  | { operator: Operator }
  | {
      status: number;
      error: 'wrong_password' | 'rate_limited' | 'unavailable';
      problem: string;
      retryAfter?: number;
      /** The given name, if it is that of an operator. */
      operator?: string;
    };

interface Credentials {
  name: string;
  password: string;
}

export interface LoginForm {
  /** The page to which it leads. */
  next: string;
  name?: string;
  notice?: string;
  /** Why the last attempt failed. */
  problem?: string;
}

/** An operator sets a password within some seconds of reading that there is none. */
const RETRY_UNSET_SECONDS = 10;

/** What `Login` needs of the store. */
type Store = Pick<
  OperatorStore,
  'all' | 'get' | 'logLogin' | 'ofLink' | 'setOwnPassword' | 'setPasswordByLink'
>;

export class Login {
  readonly #store: Store;
  readonly #log: Log;
  readonly #throttle: PasswordThrottle;

  constructor({ store, throttle, log }: { store: Store; throttle: PasswordThrottle; log: Log }) {
    this.#store = store;
    this.#log = log;
    this.#throttle = throttle;
  }

  /** Tries to log in, as `check` does, and logs it. */
  async try(given: Credentials, network: string): Promise<LoginResult> {
    if (!(await this.#isSet())) {
      const problem = 'No operator has a password yet.';
      return { status: 503, error: 'unavailable', problem, retryAfter: RETRY_UNSET_SECONDS };
    }
    const result = await this.check(given, network);
    if (!('status' in result)) await this.#store.logLogin(result.operator.name, 'logged_in');
    return result;
  }

  /**
   * Checks a password. An unknown name, a disabled operator and one without a password take the same time, and have the same
   * answer. Throws `unavailable` if too many are checked at once.
   *
   * @param network the network of the caller
   */
  async check(given: Credentials, network: string): Promise<LoginResult> {
    const name = normalName(given.name);
    const known = await this.#store.get(name);
    const who = known && { operator: known.name };
    const tried = await this.#throttle.try({ network, of: countedAs(name, known) }, () =>
      isPassword(known?.enabled === true ? known.password : null, given.password),
    );
    if ('waitSeconds' in tried) {
      const { waitSeconds: retryAfter } = tried;
      const problem = `Too many wrong passwords. Wait ${retryAfter} s, then try again.`;
      return { status: 429, error: 'rate_limited', problem, retryAfter, ...who };
    }
    if (tried.isRight && known !== undefined) return { operator: known };
    // Not awaited, because the time of the answer would tell whether the operator exists.
    if (known !== undefined) void this.#logFailure(known.name);
    const problem = 'The name or the password is wrong.';
    return { status: 401, error: 'wrong_password', problem, ...who };
  }

  async page(shown: LoginForm): Promise<string> {
    const content = (await this.#isSet()) ? loginForm(shown) : UNSET;
    return barePage('Log in', html`<h1>${LOGO} Stave console</h1>${content}`);
  }

  /** Replaces the password of an operator. Throws as `setOwnPassword`. */
  changePassword(operator: Operator, password: string): Promise<Operator> {
    return setOwnPassword({ store: { operators: this.#store } }, operator, password);
  }

  /** Throws as `setPasswordByLink`. Links are not throttled: they cannot be guessed. */
  async setPassword(token: string, password: string): Promise<void> {
    await setPasswordByLink({ store: { operators: this.#store } }, token, password);
  }

  async #isSet(): Promise<boolean> {
    return (await this.#store.all()).some(({ password }) => password !== null);
  }

  async #logFailure(name: string): Promise<void> {
    try {
      await this.#store.logLogin(name, 'login_failed');
    } catch (error) {
      this.#log.error({ err: error }, 'logging a failed login failed');
    }
  }
}

/** Whose password the throttle counts: a reset gives the operator another link, and with it new counts, as a new password does. */
function countedAs(name: string, known: Operator | undefined): string {
  const counts = known === undefined ? '' : ` ${known.sessionsId} ${known.linkHash ?? ''}`;
  return `operator ${name}${counts}`;
}

const UNSET: Html = html`<p>No operator has a password yet. On the machine of this service, run:</p>
<pre><code>stave operators add YOUR-NAME --role owner</code></pre>
<p>Then open the link that it prints.</p>`;

function loginForm({ next, name = '', notice, problem }: LoginForm): Html {
  const wrong = problem !== undefined && html` aria-invalid="true" aria-describedby="problem"`;
  return html`<form method="post" action="/login" class="stack">
<input type="hidden" name="next" value="${next}">
${notice !== undefined && html`<p role="status">${notice}</p>`}
<label for="name">Name</label>
<input id="name" name="name" autocomplete="username" autocapitalize="none" spellcheck="false" required maxlength="160" value="${name}"${name === '' && html` autofocus`}${wrong}>
<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="1024"${name !== '' && html` autofocus`}${wrong}>
${problem !== undefined && html`<p id="problem" class="problem-text" role="alert">${problem}</p>`}
<button class="primary">Log in</button>
</form>`;
}

/** The page of a link to set a password. The script takes the token from the address, whose fragment it is. */
export function setPasswordPage({
  token = '',
  problem,
}: {
  token?: string;
  problem?: string;
} = {}): string {
  const form = html`<form method="post" action="/set-password" class="stack" data-link>
<label for="token">The end of the link, after #</label>
<input id="token" name="token" autocomplete="off" spellcheck="false" required maxlength="100" value="${token}">
${newPasswordFields(problem, html` autofocus`)}
<button class="primary">Set the password</button>
</form>`;
  return barePage('Set your password', html`<h1>${LOGO} Set your password</h1>${form}`);
}

/** A new password, twice, and why the last one was refused. @param attributes of the first field */
export function newPasswordFields(problem?: string, attributes: Html = html``): Html {
  const isWrong = problem !== undefined;
  const wrong = isWrong && html` aria-invalid="true"`;
  const input = (name: string, rest: Html) =>
    html`<input id="${name}" name="${name}" type="password" autocomplete="new-password" required maxlength="512"${isWrong && html` aria-describedby="problem"`}${wrong}${rest}>`;
  return html`${field('New password', input('password', attributes), RULE)}
${field('Once more', input('again', html``))}
${isWrong && html`<p id="problem" class="problem-text" role="alert">${problem}</p>`}`;
}

const RULE = '15 to 256 characters, of any kind. Not your name, no repetition, no sequence.';
