import type { TextDecoding } from './bytes.ts';
import {
  Batch,
  type Decoded,
  MAX_RECORD_BYTES,
  MAX_SKIPPED_BYTES,
  UnreadableError,
  undecoded,
} from './decoded.ts';
import { decodeJson } from './json-record.ts';
import { type Level, setPlace } from './nested.ts';

/** Lists of objects in a JSON document, by path: `data.tracks`; `""` for the document itself. */
export interface DocumentLists {
  read: string;
  /** The first few other lists. */
  passedOver: string[];
}

/**
 * Decodes the records of one JSON document: the elements of its array, of the first list of objects
 * in its objects (`{"data": {"tracks": [{…}, …]}}`), or of the list or the object at `wanted`.
 * Walks the document byte by byte and holds one chunk and one record in memory. Calls `onEnd` with
 * the lists at the end, and `onList` with the path of the list before its records.
 */
export async function* decodeJsonDocument(
  chunks: AsyncIterable<Buffer>,
  decodeText: TextDecoding,
  wanted?: Level,
  onEnd: (lists: DocumentLists) => void = () => {},
  onList: (path: string) => void = () => {},
): AsyncGenerator<Decoded[]> {
  const walk = new DocumentWalk(decodeText, wanted);
  let failure: unknown;
  try {
    for await (const chunk of chunks) {
      let at = 0;
      while (at < chunk.length && walk.failure === undefined) {
        at = walk.feed(chunk, at);
        if (walk.found.isFull) {
          onList(walk.lists.read);
          yield* walk.found.take();
        }
      }
      if (walk.failure !== undefined) break;
    }
    failure = walk.failure ?? walk.unfinished();
  } catch (error) {
    // The records before a fault are imported.
    failure = error;
  }
  onList(walk.lists.read);
  yield* walk.found.take();
  if (failure !== undefined) throw failure;
  onEnd(walk.lists);
}

const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_LIST, CLOSE_LIST] = [0x7b, 0x7d, 0x5b, 0x5d];
const [QUOTE, BACKSLASH, COMMA] = [0x22, 0x5c, 0x2c];
/** Lists within one record. A document with such a list may be a single record. */
const PARTS_OF_A_RECORD: ReadonlySet<string> = new Set(['artists', 'filters', 'tags']);
const MAX_KEY_BYTES = 1024;
const MAX_DEPTH = 1000;
const MAX_NAMED_LISTS = 8;

/** Walks a document: first to the list of records, then through the list, then to the end. */
class DocumentWalk {
  readonly found = new Batch();
  failure: UnreadableError | undefined;
  readonly lists: DocumentLists = { read: '', passedOver: [] };
  readonly #decodeText: TextDecoding;
  readonly #wantedPath: string | undefined;
  /** Whether the records are the members of an object. */
  readonly #isKeyed: boolean;
  #stage: 'seeking' | 'listing' | 'past' = 'seeking';
  /** Open containers outside the list of records. */
  readonly #open: number[] = [];
  /** How many of the open containers are lists. */
  #openLists = 0;
  /** The current key of each open object. */
  readonly #keys: string[] = [];
  #key: number[] = [];
  #isKey = false;
  #inString = false;
  #escaped = false;
  /** Whether an open list whose first element is not yet read may be the list of records. */
  #candidate = false;
  #started = false;

  #number = 1;
  /** Bytes of the record from earlier chunks. */
  #carried: Buffer[] = [];
  #carriedBytes = 0;
  #inRecord = false;
  #depth = 0;

  constructor(decodeText: TextDecoding, wanted: Level | undefined) {
    this.#decodeText = decodeText;
    this.#wantedPath = wanted?.names.join('.');
    this.#isKeyed = wanted?.holds === 'object';
  }

  /** Walks the chunk until it ends or the batch is full. Returns where it stopped. */
  feed(chunk: Buffer, from: number): number {
    return this.#stage === 'listing' ? this.#list(chunk, from) : this.#seek(chunk, from);
  }

  unfinished(): UnreadableError | undefined {
    if (this.#stage === 'listing') {
      return new UnreadableError(this.#number, 'the document ends inside its list of records');
    }
    return this.#open.length > 0 || this.#inString
      ? new UnreadableError(this.#number, 'the document ends too early')
      : undefined;
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
          if (byte === OPEN_OBJECT && this.lists.passedOver.length < MAX_NAMED_LISTS) {
            this.lists.passedOver.push(this.#keys.join('.'));
          }
        } else if (byte === OPEN_OBJECT || (isList && byte !== CLOSE_LIST)) {
          this.#open.pop();
          this.#openLists--;
          this.#stage = 'listing';
          this.lists.read = this.#keys.join('.');
          return at;
        }
      }
      if (this.#open.length === 0 && this.#started) {
        this.#fail('there is text after the end of the JSON document');
        return chunk.length;
      }
      this.#started = true;
      if (byte === OPEN_OBJECT && this.#isKeyed && this.#mayHoldRecords()) {
        this.#stage = 'listing';
        this.lists.read = this.#keys.join('.');
        return at + 1;
      }
      this.#stepStructure(byte);
      if (this.failure !== undefined) {
        return chunk.length;
      }
    }
    return chunk.length;
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
    this.#carry(chunk.subarray(start));
    return chunk.length;
  }

  #carry(bytes: Buffer): void {
    this.#carriedBytes += bytes.length;
    if (this.#carriedBytes > MAX_SKIPPED_BYTES) {
      this.#fail(
        `a record of more than ${MAX_SKIPPED_BYTES / 1024 / 1024} MiB; the rest was not read`,
      );
    } else if (this.#carriedBytes > MAX_RECORD_BYTES) {
      this.#carried = [];
    } else if (bytes.length > 0) {
      this.#carried.push(Buffer.from(bytes));
    }
  }

  #take(bytes: Buffer): void {
    const position = this.#number++;
    if (this.#carriedBytes + bytes.length > MAX_RECORD_BYTES) {
      this.found.push(undecoded(position, `longer than ${MAX_RECORD_BYTES / 1024} KiB`));
    } else {
      const whole = this.#carriedBytes > 0 ? Buffer.concat([...this.#carried, bytes]) : bytes;
      const decode = this.#isKeyed ? decodeMember : decodeJson;
      this.found.push(decode(whole, position, this.#decodeText, 'record'));
    }
    this.#carried = [];
    this.#carriedBytes = 0;
    this.#inRecord = false;
  }

  #fail(message: string): void {
    this.failure ??= new UnreadableError(this.#number, message);
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
