import { type Decoded, decoded, undecoded } from './decoded.ts';
import { invalidByte, type TextDecoding } from './text-decoding.ts';

/** The record that these bytes of JSON hold. `what` names them in the reason why they cannot be read. */
export function decodeJson(
  bytes: Buffer,
  position: number,
  decodeText: TextDecoding,
  what: 'line' | 'record',
): Decoded {
  const text = decodeText(bytes);
  if (text === undefined) {
    return undecoded(position, `the ${what} is not valid UTF-8 (${invalidByte(bytes)})`);
  }
  try {
    return decoded(position, JSON.parse(text));
  } catch (error) {
    return undecoded(position, notJson(error));
  }
}

/** The reason in V8's words, without the text that it quotes: a whole line at worst. */
function notJson(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const reason = message
    .replace(/,? ?(\.\.\.)?".*" is not valid JSON$/s, '')
    // V8 counts lines within the record, which would contradict the line of the file.
    .replace(/ \(line \d+ column \d+\)$/, '');
  return reason === '' ? 'not valid JSON' : `not valid JSON: ${reason.slice(0, 120)}`;
}
