import type { Socket } from 'node:net';
import type { StaveError } from '../../../common/errors.ts';
import { ChunkedFraming, HeadFraming, withoutLineBreaks } from './framing.ts';
import { endConnection } from './raw-response.ts';
import type { Exchange } from './request-guard.ts';
import type { Turns, Waiting } from './turns.ts';

/** The maximum number of bytes that all intakes hold together while these bytes wait. */
const MAX_HELD_BYTES = 32 * 1024 * 1024;
/** An intake may always hold this many bytes, which are more than the head of any request. */
const FREE_HELD_BYTES = 16 * 1024;

/** What the intakes of all connections share. */
export interface IntakeDependencies {
  turns: Turns;
  /** The bytes that all intakes hold. */
  held: { bytes: number };
  /**
   * How long a connection may be without traffic while requests wait for an earlier response, in
   * milliseconds.
   */
  stalledMs: number;
  /** The lane of a connection whose latest request had no valid token. */
  laneOf(socket: Socket): unknown;
  /** Called for a request whose body must be refused. */
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
  /** The framing of the head that is being read, or otherwise of the head of the latest request. */
  readonly #head = new HeadFraming();

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
    exchange.requestLineBytes = this.#head.lineBytes;
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

  /** The head that is being read, or otherwise that of the latest request. */
  get head(): Readonly<Pick<HeadFraming, 'lineBytes' | 'isHead'>> {
    return this.#head;
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
      if (!this.#head.isOpen) {
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
    const length = this.#head.advance(bytes);
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
