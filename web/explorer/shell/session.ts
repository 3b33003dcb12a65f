import { signal } from '@preact/signals';
import { type AccessToken, type Me, StaveClient, type StaveOptions } from '#client';
import { view } from '../browse/location.ts';
import { t } from '../texts/texts.ts';
import { clearLog, hooks } from './request-log.ts';

/**
 * A client, or a seat of it, that has signed in. Credentials and tokens are in the memory of `stave` only; what keeps the
 * browser signed in is a cookie, which no script can read.
 */
export interface Session {
  stave: StaveClient;
  me: Me;
}

/** The session; undefined before it begins. */
export const session = signal<Session | undefined>(undefined);

/** The name of the seat, or of the client if somebody signed in with its secret. */
export function nameOfUser({ name, seat }: Me): string {
  return seat?.name ?? name;
}

/** Whether the session has ended by itself, so that the visitor is told why. */
export const hasEnded = signal(false);

/** The address of the service, without a trailing slash: where the page is. */
export const BASE_URL: string = new URL('.', document.baseURI).href.replace(/\/$/, '');

/** A page must say soon that something fails, so requests are repeated less than by a server. */
const LIMITS = { timeoutMs: 15_000, maxRetries: 2, longestWaitMs: 10_000 };

/** The language that the visitor chose, if the client may choose one. */
export function chosenLanguage(): string | undefined {
  return may('localization') ? view.value.language : undefined;
}

/** Without a choice, the browser sends its own languages. */
const fetchInLanguage: typeof fetch = (input, init) => {
  const language = chosenLanguage();
  if (language === undefined) return fetch(input, init);
  const headers = new Headers(init?.headers);
  headers.set('Accept-Language', language);
  return fetch(input, { ...init, headers });
};

/** Continues the session that the browser keeps. Returns false if there is none. Rejects if the service cannot tell. */
export async function resume(): Promise<boolean> {
  const first = await sessionToken();
  if (first === undefined) return false;
  let next: AccessToken | undefined = first;
  const stave = clientWith({
    async getAccessToken() {
      const token = next ?? (await sessionToken());
      next = undefined;
      if (token !== undefined) return token;
      hasEnded.value = true;
      session.value = undefined;
      throw new Error(t('sessionEnded'));
    },
  });
  session.value = { stave, me: await stave.readMe() };
  return true;
}

/**
 * Begins a session with credentials. Rejects with a StaveError if they are wrong or the service cannot be reached.
 *
 * @param isKept whether the browser stays signed in, if it keeps the cookie
 */
export async function signIn(
  clientId: string,
  clientSecret: string,
  isKept: boolean,
): Promise<void> {
  const stave = clientWith({ clientId, clientSecret });
  const me = await stave.readMe();
  hasEnded.value = false;
  if (isKept) {
    await send('POST', '', { client_id: clientId, client_secret: clientSecret });
    if (await resume()) return;
  }
  session.value = { stave, me };
}

export function signOut(): void {
  session.value = undefined;
  clearLog();
  // Without a session, it does nothing. A failure leaves the browser signed in, which the next load of the page shows.
  send('DELETE', '').catch(() => {});
}

function clientWith(credentials: Partial<StaveOptions>): StaveClient {
  return new StaveClient({
    ...{ baseUrl: BASE_URL, ...credentials, hooks, fetch: fetchInLanguage, ...LIMITS },
  });
}

/** Undefined if the browser is not signed in. */
async function sessionToken(): Promise<AccessToken | undefined> {
  const response = await send('POST', '/token');
  if (response.status === 401) return undefined;
  if (!response.ok)
    throw new Error(`The service cannot tell who is signed in (${response.status}).`);
  return (await response.json()).data;
}

function send(method: string, path: string, body?: object): Promise<Response> {
  return fetch(`${BASE_URL}/session${path}`, {
    method,
    signal: AbortSignal.timeout(LIMITS.timeoutMs),
    ...(body && {
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    }),
  });
}

/** The scopes that every partner may have. All others also need the contract feature of their name. */
const BASIC: readonly Scope[] = ['tracks', 'search', 'filters', 'playlists', 'analytics'];

type Scope = Me['scopes'][number];

/** Whether the client may use a scope, and has its contract feature if it needs one. */
export function may(scope: Scope): boolean {
  const { scopes = [], features = [] } = session.value?.me ?? {};
  const isOn = BASIC.includes(scope) || features.some((feature) => feature === scope);
  return isOn && scopes.includes(scope);
}
