import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { StaveError } from '../../../common/errors.ts';
import { type Exchange, framingTooLarge, malformed } from './request-guard.ts';
import type { Turns, Waiting } from './turns.ts';

/** The maximum number of bytes that all intakes hold together while these bytes wait. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;
/** An intake may always hold this many bytes, which are more than the head of any request. */
const FREE_HELD_BYTES = 16 * 1024;

/**
 * How long a refused connection is still read, in milliseconds. Closing it with unread bytes would reset the
 * connection, and the reset can overtake the response.
 */
const LINGER_MS = 1000;

export interface IntakeDependencies {
  turns: Turns;
  held: { bytes: number };
  /**
   * How long a connection may be without traffic while requests wait for an earlier response, in
   * milliseconds.
   */
  stalledMs: number;
  /** The lane of a connection whose latest request had no valid token. Connections of one lane share their turns. */
  laneOf(socket: Socket): unknown;
  onBodyFault(intake: Intake, exchange: Exchange, fault: StaveError): void;
  /** Called if all intakes together hold too many bytes. */
  onFull(intake: Intake): void;
}

/**
 * Receives the bytes of a connection before Node's parser, which would make requests of all of them at once.
 * The intake passes on one request at a time. The bytes of further requests stay in the buffer of the socket
 * until the response is sent and the event loop has completed a round. The socket stops reading when its
 * buffer is full. A client that pipelines is thus served in order, at the speed at which it reads, and
 * occupies no more memory than the bytes that it has sent.
 */
export class Intake implements Waiting {
  readonly socket: Socket;
  readonly #deps: IntakeDependencies;
  /** Node's own `data` listener of the socket. */
  readonly #parse: (bytes: Buffer) => void;
  #lane: unknown;
  #latest: Exchange | undefined;
  /** The rest of the body of the latest request; undefined if it has none, or has been read. */
  #body: { leftBytes: number } | ChunkedFraming | undefined;
  /** The head that is being read, or otherwise that of the latest request. */
  readonly head = new HeadFraming();

  #isHolding = false;
  #heldBytes = 0;
  #hasTurn = false;
  #isLate = false;
  #isClosed = false;

  constructor(socket: Socket, deps: IntakeDependencies) {
    this.socket = socket;
    this.#deps = deps;
    const [parse, ...others] = socket.listeners('data');
    if (parse === undefined || others.length > 0) {
      throw new Error('node:http reads its connections in another way than this program expects.');
    }
    this.#parse = parse as (bytes: Buffer) => void;
    // The new listener is added first, because a socket without a listener stops reading.
    socket.on('data', (bytes: Buffer) => this.#onData(bytes));
    socket.off('data', this.#parse);
    socket.once('close', () => this.close());
    // Node calls this after the last response. Node's own version closes the connection at once, although the
    // client may still be sending.
    socket.destroySoon = () => {
      this.close();
      endConnection(socket);
    };
  }

  /** The last request that was passed on. */
  get latest(): Exchange | undefined {
    return this.#latest;
  }

  /** Called when the parser has the head of a request. */
  began(exchange: Exchange): void {
    const { headers } = exchange.request;
    this.#latest = exchange;
    exchange.isLate = this.#isLate;
    exchange.requestLineBytes = this.head.lineBytes;
    if (headers['transfer-encoding'] !== undefined) {
      this.#body = new ChunkedFraming();
    } else {
      const leftBytes = Number(headers['content-length'] ?? 0);
      this.#body = leftBytes > 0 ? { leftBytes } : undefined;
    }
    if (this.#body !== undefined) {
      exchange.onBodyWanted = () => this.#goOn();
    }
  }

  /** Stops passing on bytes. Further bytes are discarded. */
  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#release();
      this.#deps.turns.leave(this.#lane, this);
    }
  }

  takeTurn(isLate: boolean): void {
    if (this.#isClosed || this.socket.destroyed) {
      return;
    }
    const heldBytes = this.#heldBytes;
    this.#release();
    this.#isLate = isLate;
    this.#hasTurn = true;
    // This emits `data`. Without a length, `read` would copy everything that the socket has buffered.
    this.socket.read(heldBytes);
    this.#hasTurn = false;
    this.#isLate = false;
    if (!this.#isHolding) {
      this.socket.resume();
    }
  }

  #onData(bytes: Buffer): void {
    if (this.#isClosed) {
      return;
    }
    if (this.#hasTurn || this.#latest?.isAuthenticated) {
      this.#passOn(bytes);
      return;
    }
    const startedMs = performance.now();
    if (!this.#isHolding && this.#deps.turns.mayGoNow(startedMs)) {
      this.#passOn(bytes);
      this.#deps.turns.charge(performance.now() - startedMs);
    } else {
      this.#hold(bytes);
    }
  }

  /** Passes on the rest of a request, then the head of one more, then its body if the route wants it. */
  #passOn(bytes: Buffer): void {
    let rest = bytes;
    let isHeadTaken = false;
    while (rest.length > 0 && !this.#isHolding && this.#isReady()) {
      if (this.#body !== undefined) {
        rest = rest.subarray(this.#takeBody(rest));
        continue;
      }
      if (!this.head.isOpen) {
        rest = withoutLineBreaks(rest);
        if (isHeadTaken || rest.length === 0) {
          break;
        }
      }
      rest = rest.subarray(this.#takeHead(rest));
      isHeadTaken = true;
    }
    if (rest.length > 0 && !this.#isClosed) {
      this.#hold(rest);
    }
  }

  /** Whether the parser may have the next bytes. */
  #isReady(): boolean {
    if (this.#isClosed || !this.socket.writable) {
      return false;
    }
    const latest = this.#latest;
    if (latest === undefined) {
      return true;
    }
    if (this.#body !== undefined) {
      // Node discards a body that is not read, once the response has been sent.
      return latest.acceptsBody || latest.response.closed;
    }
    // While the write buffer is full, Node pauses the socket itself and must not get more bytes.
    return latest.response.closed && !this.socket.writableNeedDrain;
  }

  #takeHead(bytes: Buffer): number {
    const length = this.head.advance(bytes);
    this.#parse(length === bytes.length ? bytes : bytes.subarray(0, length));
    return length;
  }

  #takeBody(bytes: Buffer): number {
    const body = this.#body!;
    let length: number;
    if (body instanceof ChunkedFraming) {
      length = body.advance(bytes);
      if (body.fault !== undefined) {
        this.#deps.onBodyFault(this, this.#latest!, body.fault);
        return length;
      }
      if (body.isComplete) {
        this.#body = undefined;
      }
    } else {
      length = Math.min(body.leftBytes, bytes.length);
      body.leftBytes -= length;
      if (body.leftBytes === 0) {
        this.#body = undefined;
      }
    }
    this.#parse(length === bytes.length ? bytes : bytes.subarray(0, length));
    return length;
  }

  /** Puts bytes back into the socket, and waits for a turn or for the response. */
  #hold(bytes: Buffer): void {
    const { held, onFull, stalledMs } = this.#deps;
    const { socket } = this;
    socket.pause();
    socket.unshift(bytes);
    if (this.#isHolding) {
      // Node itself has resumed the socket.
      return;
    }
    this.#isHolding = true;
    this.#heldBytes = bytes.length;
    held.bytes += bytes.length;
    if (held.bytes > MAX_HELD_BYTES && bytes.length > FREE_HELD_BYTES) {
      onFull(this);
      return;
    }
    if (this.#isReady()) {
      this.#lineUp();
      return;
    }
    if (this.#body === undefined) {
      // Node sets its own timeout again with the next response. The time of a body is limited by Node, which
      // then sends 408.
      socket.setTimeout(stalledMs);
    }
    if (socket.writableNeedDrain) {
      socket.once('drain', () => this.#goOn());
    }
    this.#latest?.response.once('close', () => this.#goOn());
  }

  #release(): void {
    this.#deps.held.bytes -= this.#heldBytes;
    this.#heldBytes = 0;
    this.#isHolding = false;
  }

  /** Called when the held bytes may no longer have to wait. */
  #goOn(): void {
    if (this.#isHolding && this.#isReady()) {
      this.#lineUp();
    }
  }

  #lineUp(): void {
    this.#lane = this.#latest?.isAuthenticated ? this : this.#deps.laneOf(this.socket);
    this.#deps.turns.lineUp(this.#lane, this);
  }
}

/** Writes the last bytes of a connection, if any, and makes sure that it closes. */
export function endConnection(socket: Duplex, bytes?: Buffer): void {
  // With TLS, a part of the response may still wait to be sent.
  socket.end(bytes, () => {
    const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
    socket.once('close', () => clearTimeout(timer));
  });
  socket.resume();
}

const CR = 13;
const LF = 10;
const HEAD_END = Buffer.from('\n\r\n');
const HEAD_METHOD = Buffer.from('HEAD ');

/**
 * Reads the heads of the requests on one connection before Node's parser does. Finds the end of each head,
 * and what the parser does not report about the request line.
 */
class HeadFraming {
  /** The last two bytes of an incomplete head. */
  #tail = '';
  /** Whether a head has begun and is incomplete. */
  isOpen = false;
  /** How many bytes of the request line match `HEAD `; -1 after a mismatch. */
  #matched = 0;
  /** The length of the request line of the latest head, as far as it has arrived, without its line break. */
  lineBytes = 0;
  #isLineOpen = true;

  /** Whether the latest head belongs to a HEAD request, as far as it has arrived. */
  get isHead(): boolean {
    return this.#matched === HEAD_METHOD.length;
  }

  /** Takes the next bytes, at least one. Returns how many of them belong to the head. */
  advance(bytes: Buffer): number {
    if (!this.isOpen) {
      this.#matched = 0;
      this.lineBytes = 0;
      this.#isLineOpen = true;
    }
    const end = this.#end(bytes);
    const length = end < 0 ? bytes.length : end;
    if (this.#isLineOpen) {
      const lineEnd = bytes.indexOf(CR);
      this.#isLineOpen = lineEnd < 0;
      this.lineBytes += lineEnd < 0 ? length : lineEnd;
    }
    for (let i = 0; i < length && this.#matched >= 0 && !this.isHead; i++) {
      this.#matched = bytes[i] === HEAD_METHOD[this.#matched] ? this.#matched + 1 : -1;
    }
    this.isOpen = end < 0;
    this.#tail =
      end < 0 ? (this.#tail + bytes.toString('latin1', Math.max(0, length - 2))).slice(-2) : '';
    return length;
  }

  /** Returns the index after the end of the head; -1 if the head is incomplete. */
  #end(bytes: Buffer): number {
    if (this.#tail !== '') {
      const at = Buffer.from(this.#tail + bytes.toString('latin1', 0, 2)).indexOf(HEAD_END);
      if (at >= 0) {
        return at + HEAD_END.length - this.#tail.length;
      }
    }
    const at = bytes.indexOf(HEAD_END);
    return at < 0 ? -1 : at + HEAD_END.length;
  }
}

/** Removes the empty lines that may precede a request line (RFC 9112 §2.2). */
function withoutLineBreaks(bytes: Buffer): Buffer {
  let start = 0;
  while (bytes[start] === CR || bytes[start] === LF) {
    start++;
  }
  return start === 0 ? bytes : bytes.subarray(start);
}

/** Bytes of framing that every chunked body may have. */
const FREE_FRAMING_BYTES = 4 * 1024;
/** Beyond these bytes, a body may have one byte of framing for this many bytes of data. */
const DATA_BYTES_PER_FRAMING_BYTE = 16;

const SEMICOLON = 59;

/** The part that the next byte belongs to; `size-line` is the rest of the line after the size. */
type Part =
  | 'size'
  | 'size-line'
  | 'data'
  | 'data-cr'
  | 'data-lf'
  | 'trailer-start'
  | 'trailer-line'
  | 'last-lf';

/**
 * Reads the framing of one chunked body (RFC 9112 §7.1) before Node's parser does, to find the end of the
 * body and to limit its cost: the parser uses 300 bytes of memory for each chunk, even for the smallest. The
 * parser checks the framing again.
 */
export class ChunkedFraming {
  #part: Part = 'size';
  #digits = 0;
  #chunkBytes = 0;
  #dataBytes = 0;
  #framingBytes = 0;
  /** Whether the body has ended, trailers included. */
  isComplete = false;
  /** The reason to refuse the body: it is malformed, or has too much framing for its data. */
  fault: StaveError | undefined;

  /** Takes the next bytes. Returns how many of them belong to the body. */
  advance(bytes: Buffer): number {
    let i = 0;
    while (i < bytes.length && !this.isComplete && this.fault === undefined) {
      if (this.#part === 'data') {
        const taken = Math.min(this.#chunkBytes, bytes.length - i);
        this.#chunkBytes -= taken;
        this.#dataBytes += taken;
        i += taken;
        if (this.#chunkBytes === 0) {
          this.#part = 'data-cr';
        }
      } else {
        this.#frame(bytes[i]!);
        i++;
      }
    }
    return i;
  }

  #frame(byte: number): void {
    this.#framingBytes++;
    if (this.#framingBytes > FREE_FRAMING_BYTES + this.#dataBytes / DATA_BYTES_PER_FRAMING_BYTE) {
      this.fault = framingTooLarge();
      return;
    }
    switch (this.#part) {
      case 'size':
        this.#size(byte);
        break;
      case 'size-line':
        if (byte === LF) {
          this.#part = this.#chunkBytes === 0 ? 'trailer-start' : 'data';
          this.#digits = 0;
        }
        break;
      case 'data-cr':
        this.#expect(byte, CR, 'data-lf');
        break;
      case 'data-lf':
        this.#expect(byte, LF, 'size');
        break;
      case 'trailer-start':
        this.#part = byte === CR ? 'last-lf' : 'trailer-line';
        break;
      case 'trailer-line':
        if (byte === LF) {
          this.#part = 'trailer-start';
        }
        break;
      case 'last-lf':
        this.#expect(byte, LF, 'size');
        this.isComplete = this.fault === undefined;
    }
  }

  #size(byte: number): void {
    const digit = Number.parseInt(String.fromCharCode(byte), 16);
    if (!Number.isNaN(digit)) {
      this.#chunkBytes = this.#chunkBytes * 16 + digit;
      this.#digits++;
      if (this.#chunkBytes > Number.MAX_SAFE_INTEGER / 16) {
        this.fault = malformed();
      }
    } else if (this.#digits > 0 && (byte === CR || byte === SEMICOLON)) {
      this.#part = 'size-line';
    } else {
      this.fault = malformed();
    }
  }

  #expect(byte: number, wanted: number, next: Part): void {
    if (byte === wanted) {
      this.#part = next;
    } else {
      this.fault = malformed();
    }
  }
}
