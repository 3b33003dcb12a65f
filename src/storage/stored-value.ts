import { StaveError } from '../common/errors.ts';

/**
 * Decodes a text that the database returned. Throws `unavailable` if it cannot be decoded: the link to the
 * database or its disk damaged the text.
 */
export function decodeStored<Value>(text: string, decode: (text: string) => Value): Value {
  try {
    return decode(text);
  } catch (cause) {
    throw new StaveError(
      'unavailable',
      'The database returned a damaged value; try again in a moment.',
      { headers: { 'Retry-After': '1' }, cause },
    );
  }
}

/** Parses JSON that the database returned. Throws `unavailable` if the text is not JSON. */
export function parseStored<Value>(json: string): Value {
  return decodeStored<Value>(json, JSON.parse);
}
