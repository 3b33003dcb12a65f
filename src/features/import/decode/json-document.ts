import type { TextDecoding } from './bytes.ts';
import {
  Batch,
  CarriedBytes,
  type Decoded,
  MAX_RECORD_BYTES,
  type RecordReader,
  recordsFound,
  UnreadableError,
  undecoded,
} from './decoded.ts';
import { decodeJson } from './json-record.ts';
import { type Level, setPlace } from './nested.ts';

/** Lists of objects in a JSON document, by path: `data.tracks`; `""` for the document itself. */
export interface DocumentLists {
  /** Undefined before a list is found. */
  read: string | undefined;
  /** The first few other lists. */
  passedOver: string[];
}

/**
 * Decodes the records of one JSON document: the elements of its array, of the first list of objects
 * in its objects (`{"data": {"tracks": [{…}, …]}}`), or of the list or the object at `wanted`.
 * Walks the document byte by byte and holds one chunk and one record in memory. Sets the members of
 * `lists` as it finds them.
 */
export function decodeJsonDocument(
  chunks: AsyncIterable<Buffer>,
  decodeText: TextDecoding,
  wanted?: Level,
  lists: DocumentLists = { read: undefined, passedOver: [] },
): AsyncGenerator<Decoded[]> {
  return recordsFound(chunks, new DocumentReader(decodeText, wanted, lists));
}

const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
/** Lists within one record. A document with such a list may be a single record. */
const PARTS_OF_A_RECORD: ReadonlySet<string> = new Set(['artists', 'filters', 'tags']);
const MAX_KEY_BYTES = 1024;
const MAX_DEPTH = 1000;
const MAX_NAMED_LISTS = 8;

/** Walks a document: first to the list of records, then through the list, then to the end. */
class DocumentReader implements RecordReader<Buffer> {
  readonly found = new Batch();
  readonly #lists: DocumentLists;
  readonly #decodeText: TextDecoding;
  readonly #wantedPath: string | undefined;
  /** Whether the records are the members of an object. */
  readonly #isKeyed: boolean;
  #stage: 'seeking' | 'listing' | 'past' = 'seeking';
  /** Open containers outside the list of records. */
  readonly #open: number[] = [];
  #openLists = 0;
  readonly #keys: string[] = [];
  #key: number[] = [];
  #isKey = false;
  #inString = false;
  #escaped = false;
  /** Whether an open list whose first element is not yet read may be the list of records. */
  #candidate = false;
  #started = false;

  #number = 1;
  readonly #carried = new CarriedBytes();
  #inRecord = false;
  #depth = 0;

  constructor(decodeText: TextDecoding, wanted: Level | undefined, lists: DocumentLists) {
    this.#decodeText = decodeText;
    this.#wantedPath = wanted?.names.join('.');
    this.#isKeyed = wanted?.holds === 'object';
    this.#lists = lists;
  }

  *read(chunk: Buffer): Generator<Decoded[]> {
    for (let at = 0; at < chunk.length; ) {
      at = this.#stage === 'listing' ? this.#list(chunk, at) : this.#seek(chunk, at);
      if (this.found.isFull) yield* this.found.take();
    }
  }

  *end(): Generator<Decoded[]> {
    if (this.#stage === 'listing') this.#fail('the document ends inside its list of records');
    if (this.#open.length > 0 || this.#inString) this.#fail('the document ends too early');
    yield* this.found.take();
  }

  /** Walks the bytes outside the list of records. Returns where it stopped. */
  #seek(chunk: Buffer, from: number): number {
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#inString) {
        this.#stepString(byte);
        continue;
      }
      if (isBlank(byte)) {
        continue;
      }
      if (this.#candidate) {
        this.#candidate = false;
        const isList = this.#open.length === 1 || this.#wantedPath !== undefined;
        if (this.#stage === 'past') {
          if (byte === OPEN_OBJECT && this.#lists.passedOver.length < MAX_NAMED_LISTS) {
            this.#lists.passedOver.push(this.#keys.join('.'));
          }
        } else if (byte === OPEN_OBJECT || (isList && byte !== CLOSE_LIST)) {
          this.#open.pop();
          this.#openLists--;
          this.#beginList();
          return at;
        }
      }
      if (this.#open.length === 0 && this.#started) {
        this.#fail('there is text after the end of the JSON document');
      }
      this.#started = true;
      if (byte === OPEN_OBJECT && this.#isKeyed && this.#mayHoldRecords()) {
        this.#beginList();
        return at + 1;
      }
      this.#stepStructure(byte);
    }
    return chunk.length;
  }

  #beginList(): void {
    this.#stage = 'listing';
    this.#lists.read = this.#keys.join('.');
  }

  #stepStructure(byte: number): void {
    switch (byte) {
      case QUOTE:
        this.#inString = true;
        this.#isKey = this.#keys.at(-1) === '' && this.#open.at(-1) === OPEN_OBJECT;
        this.#key = [];
        return;
      case OPEN_OBJECT:
        this.#open.push(byte);
        this.#keys.push('');
        break;
      case OPEN_LIST:
        this.#candidate = !this.#isKeyed && this.#mayHoldRecords();
        this.#open.push(byte);
        this.#openLists++;
        break;
      case CLOSE_OBJECT:
        if (this.#open.pop() !== OPEN_OBJECT) {
          this.#fail('not valid JSON: a bracket closes what was not opened');
        }
        this.#keys.pop();
        break;
      case CLOSE_LIST:
        if (this.#open.pop() !== OPEN_LIST) {
          this.#fail('not valid JSON: a bracket closes what was not opened');
        }
        this.#openLists--;
        break;
      case COMMA:
        if (this.#open.at(-1) === OPEN_OBJECT) {
          this.#keys[this.#keys.length - 1] = '';
        }
        break;
    }
    if (this.#open.length > MAX_DEPTH) {
      this.#fail(`the document is nested more than ${MAX_DEPTH} deep`);
    }
  }

  /** Whether the list that opens here is neither within another list nor part of a record. */
  #mayHoldRecords(): boolean {
    if (this.#openLists > 0) {
      return false;
    }
    return this.#wantedPath === undefined
      ? !PARTS_OF_A_RECORD.has(this.#keys.at(-1) ?? '')
      : this.#stage === 'seeking' && this.#keys.join('.') === this.#wantedPath;
  }

  #stepString(byte: number): void {
    if (this.#escaped) {
      this.#escaped = false;
    } else if (byte === BACKSLASH) {
      this.#escaped = true;
    } else if (byte === QUOTE) {
      this.#inString = false;
      if (this.#isKey) {
        this.#keys[this.#keys.length - 1] = Buffer.from(this.#key).toString() || ' ';
      }
      return;
    }
    if (this.#isKey && this.#key.length < MAX_KEY_BYTES) {
      this.#key.push(byte);
    }
  }

  /** Walks the list of records. Returns where it stopped. */
  #list(chunk: Buffer, from: number): number {
    let start = from;
    this.#isKey = false;
    const close = this.#isKeyed ? CLOSE_OBJECT : CLOSE_LIST;
    for (let at = from; at < chunk.length; at++) {
      const byte = chunk[at]!;
      if (this.#inString) {
        this.#stepString(byte);
        continue;
      }
      if (byte === QUOTE) {
        this.#inString = true;
        this.#inRecord = true;
      } else if (byte === OPEN_OBJECT || byte === OPEN_LIST) {
        this.#depth++;
        this.#inRecord = true;
      } else if (this.#depth > 0 && (byte === CLOSE_OBJECT || byte === CLOSE_LIST)) {
        this.#depth--;
      } else if (this.#depth === 0 && (byte === COMMA || byte === close)) {
        if (this.#inRecord || byte === COMMA) {
          this.#take(chunk.subarray(start, at));
        }
        start = at + 1;
        if (byte === close) {
          this.#stage = 'past';
          return at + 1;
        }
        if (this.found.isFull) {
          return at + 1;
        }
      } else if (!isBlank(byte)) {
        this.#inRecord = true;
      }
    }
    this.#carried.add(chunk.subarray(start), 'record', this.#number);
    return chunk.length;
  }

  #take(bytes: Buffer): void {
    const position = this.#number++;
    const whole = this.#carried.take(bytes);
    const decode = this.#isKeyed ? decodeMember : decodeJson;
    this.found.push(
      whole === undefined
        ? undecoded(position, `longer than ${MAX_RECORD_BYTES / 1024} KiB`)
        : decode(whole, position, this.#decodeText, 'record'),
    );
    this.#inRecord = false;
  }

  #fail(message: string): never {
    throw new UnreadableError(this.#number, message);
  }
}

const isBlank = (byte: number) => byte === 32 || byte === 10 || byte === 13 || byte === 9;

/** Decodes the member `"17": {…}` of an object of records. */
function decodeMember(
  bytes: Buffer,
  position: number,
  decodeText: TextDecoding,
  what: 'record',
): Decoded {
  const [, written] = MEMBER_KEY.exec(bytes.toString('latin1')) ?? [];
  const begin = written === undefined ? -1 : bytes.indexOf(COLON, written.length);
  const key = written === undefined ? undefined : keyOfMember(bytes.subarray(0, written.length));
  if (key === undefined || begin < 0) {
    return undecoded(position, 'not valid JSON: a record without a key');
  }
  const record = decodeJson(bytes.subarray(begin + 1), position, decodeText, what);
  if (typeof record.value === 'object' && record.value !== null) {
    setPlace(record.value, {}, key);
  }
  return record;
}

const COLON = 0x3a;
/** A key with the white space before it. */
const MEMBER_KEY = /^(\s*"(?:[^"\\]|\\.){0,1000}")\s*:/s;

function keyOfMember(bytes: Buffer): string | undefined {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}
