import { endOfString } from '../../../common/text/json.ts';
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
    return typeof values === 'string'
      ? undecoded(position, values)
      : decoded(position, JSON.parse(text), bytes.length + values * VALUE_BYTES);
  } catch (error) {
    return undecoded(position, notJson(error));
  }
}

/** Returns V8's reason without the text that it quotes, which can be a whole line. */
function notJson(error: unknown): string {
  const message = error instanceof Error ? error.message : '';
  const reason = message
    .replace(/,? ?(\.\.\.)?".*" is not valid JSON$/s, '')
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
