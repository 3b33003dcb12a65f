import { StaveError } from '../../common/errors.ts';

/**
 * Parses JSON that the database returned. Throws `unavailable` if the text is not JSON: the link to the
 * database or its disk damaged the text.
 */
export function parseStored<Value>(json: string): Value {
  try {
    return JSON.parse(json) as Value;
  } catch (cause) {
    throw new StaveError(
      'unavailable',
      'The database returned a damaged value; try again in a moment.',
      { cause },
    );
  }
}
