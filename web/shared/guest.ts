import { signal } from '@preact/signals';
import { TOKEN } from './api.ts';

/** Who sends votes and comments. */
export interface Guest {
  guest: string;
  name: string;
}

export type Vote = 'approve' | 'pass';

interface Kept extends Guest {
  /** The guest's own votes, by the ids of tracks. */
  votes: Record<string, Vote>;
}

/** Where the browser keeps the guest of this link. */
const KEY = `stave ${TOKEN}`;

export const guest = signal<Kept>(kept() ?? { guest: drawn(), name: '', votes: {} });

/** Called with the answer to the question for the name; undefined while nobody is asked. */
export const asking = signal<((name: string | undefined) => void) | undefined>(undefined);

/** Returns the guest, whose name is asked for once. Undefined if the guest does not want to say it. */
export async function namedGuest(): Promise<Guest | undefined> {
  if (guest.value.name === '') await askName();
  const { guest: id, name } = guest.value;
  return name === '' ? undefined : { guest: id, name };
}

/** Asks for the name, and keeps it. */
export async function askName(): Promise<void> {
  const name = await new Promise<string | undefined>((resolve) => {
    asking.value = resolve;
  });
  asking.value = undefined;
  if (name !== undefined) keep({ name });
}

/** Removes what the service refuses, and what nobody sees: control characters that came with a copied text. */
export function withoutControls(text: string): string {
  return text
    .replace(/(?!\n)[\p{Cc}\u2028\u2029]/gu, ' ')
    .replace(/[\u202a-\u202e\u2066-\u2069]/gu, '');
}

export function keepVote(trackId: string, vote: Vote | null): void {
  const { [trackId]: _, ...others } = guest.value.votes;
  keep({ votes: vote === null ? others : { ...others, [trackId]: vote } });
}

function keep(change: Partial<Kept>): void {
  guest.value = { ...guest.value, ...change };
  try {
    localStorage.setItem(KEY, JSON.stringify(guest.value));
  } catch {
    // The browser keeps nothing: the guest is one until the page is closed.
  }
}

function kept(): Kept | undefined {
  try {
    return JSON.parse(localStorage.getItem(KEY) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** Draws 22 characters at random. */
function drawn(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .slice(0, 22);
}
