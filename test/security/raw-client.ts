import { connect, type Socket } from 'node:net';

/** After this time, a test fails instead of hanging. */
const SILENCE_MS = 60_000;

/** A response as it came over the wire. Header names are in lower case; a repeated header is an array. */
export interface RawResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/** A connection that sends exactly the bytes that it is given. */
export class RawClient {
  readonly socket: Socket;
  #received = Buffer.alloc(0);
  #wake: () => void = () => {};
  closed = false;

  private constructor(socket: Socket) {
    this.socket = socket;
    socket.on('data', (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#wake();
    });
    socket.on('end', () => socket.end());
    // After some refusals, the server resets the connection. Only the response counts.
    socket.on('error', () => {});
    socket.on('close', () => {
      this.closed = true;
      this.#wake();
    });
  }

  static async open(port: number): Promise<RawClient> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    await new Promise<void>((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
    });
    return new RawClient(socket);
  }

  send(bytes: string | Buffer): this {
    this.socket.write(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
    return this;
  }

  /** The next response; undefined if the connection closes without one. `100 Continue` counts as a response. */
  async response({ head = false } = {}): Promise<RawResponse | undefined> {
    for (;;) {
      const parsed = parse(this.#received, head, this.closed);
      if (parsed !== undefined) {
        this.#received = this.#received.subarray(parsed.length);
        return parsed.response;
      }
      if (this.closed) {
        return undefined;
      }
      await this.#change();
    }
  }

  async untilClosed(): Promise<void> {
    while (!this.closed) {
      await this.#change();
    }
  }

  /** The received bytes that were not read as a response. */
  get rest(): Buffer {
    return this.#received;
  }

  close(): void {
    this.socket.destroy();
  }

  #change(): Promise<void> {
    return new Promise((resolve, reject) => {
      const silence = new Error(`the server was silent for ${SILENCE_MS / 1_000} seconds`);
      const timer = setTimeout(reject, SILENCE_MS, silence).unref();
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}

function parse(
  bytes: Buffer,
  isHead: boolean,
  closed: boolean,
): { response: RawResponse; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) {
    return undefined;
  }
  const [statusLine, ...lines] = bytes.toString('latin1', 0, headEnd).split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(statusLine!)?.[1]);
  const headers: RawResponse['headers'] = {};
  for (const line of lines) {
    const [name, value] = [
      line.slice(0, line.indexOf(':')).toLowerCase(),
      line.slice(line.indexOf(':') + 1).trim(),
    ];
    const before = headers[name];
    headers[name] = before === undefined ? value : [before, value].flat();
  }
  const start = headEnd + 4;
  const lengthHeader = headers['content-length'];
  if (isHead || status < 200 || status === 204 || status === 304) {
    return { response: { status, headers, body: Buffer.alloc(0) }, length: start };
  }
  if (lengthHeader !== undefined) {
    const end = start + Number(lengthHeader);
    return bytes.length < end
      ? undefined
      : { response: { status, headers, body: bytes.subarray(start, end) }, length: end };
  }
  return closed
    ? { response: { status, headers, body: bytes.subarray(start) }, length: bytes.length }
    : undefined;
}

/** Sends the bytes on a new connection and returns the first response. */
export async function rawRequest(
  port: number,
  bytes: string | Buffer,
  options: { head?: boolean } = {},
): Promise<RawResponse> {
  const client = await RawClient.open(port);
  try {
    const response = await client.send(bytes).response(options);
    if (response === undefined) {
      throw new Error('The connection closed without a response.');
    }
    return response;
  } finally {
    client.close();
  }
}
