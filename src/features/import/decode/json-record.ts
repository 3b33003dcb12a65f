import { endOfString, isObject } from '../../../common/text/json.ts';
import { invalidByte, type TextDecoding } from './bytes.ts';
import {
  Batch,
  CarriedBytes,
  type Decoded,
  decoded,
  MAX_RECORD_BYTES,
  type RecordReader,
  recordsFound,
  undecoded,
  VALUE_BYTES,
} from './decoded.ts';

/** Decodes one record of JSON. `what` names it in the reason if it cannot be read. */
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
    const values = countValues(text);
    if (typeof values === 'string') return undecoded(position, values);
    const sizeBytes = bytes.length + values * VALUE_BYTES;
    try {
      return decoded(position, JSON.parse(text), sizeBytes);
    } catch (error) {
      const { value, damaged } = parseNonNumbers(text) ?? {};
      if (damaged === undefined) throw error;
      return decoded(position, value, sizeBytes, damaged);
    }
  } catch (error) {
    return undecoded(position, notJson(error));
  }
}

/** What Python and others write for a value that is no number. JSON has no such words. */
export const NON_NUMBER = /(?<![\w.])-?(?:NaN|Infinity)(?!\w)/g;

/** Begins the texts in place of these words. No name or id may hold this character. */
const MARK = '\\u0000';
const MARKED = /"\\u0000(-?(?:NaN|Infinity))"/;

/**
 * Parses an object with words such as `NaN` in place of numbers. Such members are damaged: the record is valid if nothing
 * reads them. Returns undefined if it has none, or is still no object. Throws what JSON.parse throws.
 */
function parseNonNumbers(
  text: string,
): { value: object; damaged: Map<string, string> } | undefined {
  let sound = '';
  let at = 0;
  while (at < text.length) {
    const quote = text.indexOf('"', at);
    const begin = quote < 0 ? text.length : quote;
    sound += text.slice(at, begin).replace(NON_NUMBER, (word) => `"${MARK}${word}"`);
    at = Math.min(text.length, endOfString(text, begin) + 1);
    sound += text.slice(begin, at);
  }
  const value: unknown = sound === text ? undefined : JSON.parse(sound);
  if (!isObject(value)) return undefined;
  const damaged = new Map<string, string>();
  for (const [member, inner] of Object.entries(value)) {
    const word = MARKED.exec(JSON.stringify(inner))?.[1];
    if (word !== undefined) {
      damaged.set(member, `holds ${word}, which is no value of JSON`);
      Reflect.deleteProperty(value, member);
    }
  }
  return { value, damaged };
}

/** Returns V8's reason without the text that it quotes, which can be a whole line. */
function notJson(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const reason = message
    .replace(/,? ?(\.\.\.)?".*"(\.\.\.)? is not valid JSON$/s, '')
    // V8 counts lines within the record, and the file has other line numbers.
    .replace(/ \(line \d+ column \d+\)$/, '');
  return reason === '' ? 'not valid JSON' : `not valid JSON: ${reason.slice(0, 120)}`;
}

export async function* decodeJsonRecord(
  chunks: AsyncIterable<Buffer>,
  decodeText: TextDecoding,
): AsyncGenerator<Decoded[]> {
  const whole: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    length += chunk.length;
    if (length > MAX_RECORD_BYTES) {
      yield [undecoded(1, `longer than ${MAX_RECORD_BYTES / 1024} KiB`)];
      return;
    }
    whole.push(Buffer.from(chunk));
  }
  yield [decodeJson(Buffer.concat(whole), 1, decodeText, 'record')];
}

/** Records are not nested deeper; each level costs a microsecond to parse. */
const MAX_DEPTH = 100;
/** Fifty times the values of a track's record, so that a record may contain a waveform, too. */
const MAX_VALUES = 50_000;

/** Like JSON.parse, but throws also for text that is nested too deeply or has too many values. */
export function parseJson(text: string): unknown {
  const values = countValues(text);
  if (typeof values === 'string') {
    throw new Error(values);
  }
  return JSON.parse(text);
}

/** Estimates how many values the JSON text contains. Returns the problem if a limit is exceeded. */
function countValues(text: string): number | string {
  let values = 1;
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22:
        at = endOfString(text, at);
        break;
      case 0x5b:
      case 0x7b:
        depth++;
        values++;
        if (depth > MAX_DEPTH) {
          return `is nested more than ${MAX_DEPTH} levels deep`;
        }
        break;
      case 0x5d:
      case 0x7d:
        depth--;
        break;
      case 0x2c:
        values++;
        break;
    }
  }
  return values > MAX_VALUES ? `holds more than ${MAX_VALUES} values` : values;
}

const NEWLINE = 10;

/**
 * Decodes newline-delimited JSON, one record per line; skips blank lines. Splits the lines as the
 * bytes arrive, so that memory holds one chunk and one line. About 3 µs for a record of 400 bytes.
 */
export function decodeNdjson(
  chunks: AsyncIterable<Buffer>,
  decodeText: TextDecoding,
): AsyncGenerator<Decoded[]> {
  return recordsFound(chunks, new LineReader(decodeText));
}

class LineReader implements RecordReader<Buffer> {
  readonly found = new Batch();
  readonly #decodeText: TextDecoding;
  readonly #carried = new CarriedBytes();
  #line = 1;

  constructor(decodeText: TextDecoding) {
    this.#decodeText = decodeText;
  }

  *read(chunk: Buffer): Generator<Decoded[]> {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      this.#takeLine(chunk.subarray(start, end));
      start = end + 1;
      // A compressed megabyte can contain very many blank lines.
      while (chunk[start] === NEWLINE) {
        this.#line++;
        start++;
      }
      if (this.found.isFull) yield* this.found.take();
    }
    this.#carried.add(chunk.subarray(start), 'line', this.#line);
  }

  /** Reads the last line if no line break ends it. */
  end(): Iterable<Decoded[]> {
    if (!this.#carried.isEmpty) this.#takeLine(Buffer.alloc(0));
    return [];
  }

  #takeLine(rest: Buffer): void {
    const bytes = this.#carried.take(rest);
    if (bytes === undefined) {
      const problem = `the line is longer than ${MAX_RECORD_BYTES / 1024} KiB`;
      this.found.push(undecoded(this.#line, problem));
    } else if (!isBlank(bytes)) {
      this.found.push(decodeJson(bytes, this.#line, this.#decodeText, 'line'));
    }
    this.#line++;
  }
}

function isBlank(bytes: Buffer): boolean {
  // A blank line is short; the first byte decides for most lines.
  return bytes.length === 0 || (bytes[0]! <= 0x20 && bytes.toString().trim() === '');
}
