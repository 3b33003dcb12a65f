import { signal } from '@preact/signals';
import { type Me, StaveClient } from '#client';
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

/** Begins a session. Rejects with a StaveError if the credentials are wrong or the service cannot be reached. */
export async function signIn(clientId: string, clientSecret: string): Promise<void> {
  const stave = new StaveClient({ baseUrl: BASE_URL, clientId, clientSecret, hooks, ...LIMITS });
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
