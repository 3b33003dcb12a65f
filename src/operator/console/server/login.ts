import type { Clock } from '../../../common/clock.ts';
import { StaveError } from '../../../common/errors.ts';
import { limited } from '../../../common/work/limited.ts';
import { isConsolePassword } from '../../../features/access/console-password.ts';
import type { ConsoleStore } from '../../../features/access/store/console-store.ts';
import { type Html, html } from '../pages/html.ts';
import { barePage, LOGO } from '../pages/layout.ts';
import { deviceCookie, deviceOf, type Sessions } from './sessions.ts';

/** Each check of a password takes 32 MiB, and one of the threads that read files. */
const CHECKS_AT_ONCE = 1;
const CHECK_WAIT_MS = 10_000;

/** The result of an attempt to log in: the values of two cookies, or why it failed. */
export type LoginResult =
  | { session: string; device: string }
  | {
      status: number;
      error: 'wrong_password' | 'rate_limited' | 'unavailable';
      problem: string;
      retryAfter?: number;
    };

export interface LoginForm {
  /** The page to which it leads. */
  next: string;
  notice?: string;
  /** Why the last attempt failed. */
  problem?: string;
}

/** An operator sets a password within some seconds of reading that there is none. */
const RETRY_UNSET_SECONDS = 10;

export class Login {
  readonly #store: Pick<ConsoleStore, 'password'>;
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
  }: { store: Pick<ConsoleStore, 'password'>; sessions: Sessions; clock: Clock }) {
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
    if (stored === undefined) {
      const problem = 'No password is set yet.';
      return { status: 503, error: 'unavailable', problem, retryAfter: RETRY_UNSET_SECONDS };
    }
    const device = deviceOf(stored, from.device);
    const wait = this.#attempts.begin({ ...from, device });
    if (wait !== undefined) {
      const problem = `Too many wrong passwords. Wait ${wait} s, then try again.`;
      return { status: 429, error: 'rate_limited', problem, retryAfter: wait };
    }
    if (!(await this.#checks(() => isConsolePassword(stored, given)))) {
      return { status: 401, error: 'wrong_password', problem: 'That is not the password.' };
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

interface Limit {
  /** So many failures cause no wait. */
  free: number;
  /** Doubles with each further failure. */
  firstSeconds: number;
  mostSeconds: number;
}

const OF_CALLER: Limit = { free: 5, firstSeconds: 30, mostSeconds: 900 };
/** Strangers can cause this wait, so it is short. */
const OF_ALL: Limit = { free: 30, firstSeconds: 1, mostSeconds: 30 };
/** After this time without a failure, the count begins again. */
const MEMORY_MS = 60 * 60_000;
/** A further caller removes the oldest one. */
const MAX_CALLERS = 10_000;

interface LoginCaller {
  /** The network, as `networkOf` returns it. */
  network: string;
  /** The id of a browser in which a login has succeeded before. */
  device: string | undefined;
}

interface Failures {
  count: number;
  lastAt: number;
}

/**
 * Limits failed logins: after some failures, the wait before the next attempt doubles with each one. An attempt counts as
 * failed until it has succeeded, so that attempts at one time do not pass together.
 *
 * A network counts as one caller, and all networks are limited together, because some guessers have many: everyone on
 * the machine has all of 127.0.0.0/8. A browser in which a login has succeeded is a caller of its own, and not limited
 * with the others, so that no guesser locks the operator out. Nobody gets such a browser without the password.
 */
export class LoginAttempts {
  readonly #clock: Clock;
  /** By device or network, in the order of the last failure. */
  readonly #ofCaller = new Map<string, Failures>();
  #ofAll: Failures = { count: 0, lastAt: 0 };

  constructor({ clock }: { clock: Clock }) {
    this.#clock = clock;
  }

  /** Begins an attempt. Returns undefined if it may go on, otherwise the whole seconds to wait. */
  begin({ network, device }: LoginCaller): number | undefined {
    const caller = device ?? network;
    const failures = this.#ofCaller.get(caller);
    const ofAllMs = device === undefined ? this.#waitMs(this.#ofAll, OF_ALL) : 0;
    const wait = Math.max(this.#waitMs(failures, OF_CALLER), ofAllMs);
    if (wait > 0) return Math.ceil(wait / 1_000);
    if (device === undefined) this.#ofAll = this.#oneMore(this.#ofAll);
    this.#ofCaller.delete(caller);
    const [oldest] = this.#ofCaller.size < MAX_CALLERS ? [] : this.#ofCaller.keys();
    if (oldest !== undefined) this.#ofCaller.delete(oldest);
    this.#ofCaller.set(caller, this.#oneMore(failures));
    return undefined;
  }

  /** Ends an attempt with the right password. The failures of others stay counted. */
  succeed({ network, device }: LoginCaller): void {
    this.#ofCaller.delete(device ?? network);
    if (device === undefined) {
      this.#ofAll = { ...this.#ofAll, count: Math.max(0, this.#ofAll.count - 1) };
    }
  }

  #oneMore(before: Failures | undefined): Failures {
    const now = this.#clock.now();
    const count = before === undefined || now - before.lastAt >= MEMORY_MS ? 0 : before.count;
    return { count: count + 1, lastAt: now };
  }

  #waitMs(failures: Failures | undefined, { free, firstSeconds, mostSeconds }: Limit): number {
    if (failures === undefined || failures.count < free) return 0;
    const doublings = Math.min(failures.count - free, 30);
    const seconds = Math.min(mostSeconds, firstSeconds * 2 ** doublings);
    const since = this.#clock.now() - failures.lastAt;
    return since >= MEMORY_MS ? 0 : Math.max(0, seconds * 1_000 - since);
  }
}
