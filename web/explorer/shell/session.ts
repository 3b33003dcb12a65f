import { signal } from '@preact/signals';
import { type Me, StaveClient } from '#client';
import { view } from '../browse/location.ts';
import { clearLog, hooks } from './request-log.ts';

/** A client that has signed in. The credentials and the token are in the memory of `stave` only. */
export interface Session {
  stave: StaveClient;
  me: Me;
}

/** The session; undefined before it begins. It ends with the page. */
export const session = signal<Session | undefined>(undefined);

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

/** Begins a session. Rejects with a StaveError if the credentials are wrong or the service cannot be reached. */
export async function signIn(clientId: string, clientSecret: string): Promise<void> {
  const stave = new StaveClient({
    ...{ baseUrl: BASE_URL, clientId, clientSecret, hooks, fetch: fetchInLanguage, ...LIMITS },
  });
  session.value = { stave, me: await stave.readMe() };
}

export function signOut(): void {
  session.value = undefined;
  clearLog();
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
