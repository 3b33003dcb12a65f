import type { By } from '../../common/caller.ts';

/** Returns the stored form of who makes something; null for the client itself, of which no name is known. */
export function storedBy(by: By | undefined): string | null {
  return by === undefined ? null : JSON.stringify(by);
}

/**
 * Returns who made something.
 *
 * @param stored the stored form, or the value in a stored document
 * @param clientName the present name of the client, which made what has no other value
 */
export function shownBy(stored: string | By | null | undefined, clientName: string): By {
  if (typeof stored === 'string') return JSON.parse(stored);
  return stored ?? { type: 'client', name: clientName };
}
