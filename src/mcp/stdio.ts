import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { OperatorError } from '../common/errors.ts';
import type { Caller } from './callers.ts';
import { makeServer } from './server.ts';

/** More than any call of a tool needs. */
const MAX_MESSAGE_LENGTH = 1024 * 1024;

/** How many calls run at the same time. */
const MAX_OPEN_CALLS = 100;
/** How many more are read. Then the client has to wait. */
const MAX_WAITING_CALLS = 100;

type Message = Parameters<StdioServerTransport['send']>[0];
type Request = Extract<Message, { method: string; id: unknown }>;

/**
 * Runs a bounded number of calls at a time, and reads no more while many wait, or the client does not read its responses.
 * Notifications do not wait, because they cancel calls. The transport calls `onceClosed` when it closes, which it also does
 * by itself after a message that is too long.
 */
class BoundedTransport extends StdioServerTransport {
  onceClosed = () => {};
  readonly #input: Readable;
  readonly #open = new Set<unknown>();
  readonly #waiting: Request[] = [];
  #receive: (message: Message) => void = () => {};

  constructor(input: Readable, output: Writable) {
    super(input, output, { maxBufferSize: MAX_MESSAGE_LENGTH });
    this.#input = input;
  }

  override async start(): Promise<void> {
    const receive = this.onmessage;
    this.#receive = (message) => receive?.(message);
    this.onmessage = (message: Message) => this.#take(message);
    await super.start();
  }

  override async send(message: Message): Promise<void> {
    await super.send(message);
    if (!('method' in message)) this.#end(message.id);
  }

  override async close(): Promise<void> {
    await super.close();
    this.onceClosed();
  }

  #take(message: Message): void {
    if ('method' in message && 'id' in message) {
      this.#waiting.push(message);
      this.#begin();
      return;
    }
    if ('method' in message && message.method === 'notifications/cancelled') {
      const id = message.params?.requestId;
      const place = this.#waiting.findIndex((call) => call.id === id);
      if (place >= 0) {
        this.#waiting.splice(place, 1);
        return;
      }
      this.#receive(message);
      // A canceled call has no response.
      this.#end(id);
      return;
    }
    this.#receive(message);
  }

  #end(id: unknown): void {
    this.#open.delete(id);
    this.#begin();
  }

  #begin(): void {
    while (this.#waiting.length > 0 && this.#open.size < MAX_OPEN_CALLS) {
      const call = this.#waiting.shift()!;
      this.#open.add(call.id);
      this.#receive(call);
    }
    if (this.#waiting.length >= MAX_WAITING_CALLS) this.#input.pause();
    else this.#input.resume();
  }
}

/**
 * Serves one MCP client on two streams, until the input ends or `stop` is aborted. Rejects with an OperatorError after a
 * message that is too long: whatever follows it is not a message.
 */
export async function serveStreams(
  caller: Caller,
  { stdin, stdout, stop }: { stdin: Readable; stdout: Writable; stop: AbortSignal },
): Promise<void> {
  const ended = new AbortController();
  const end = () => ended.abort();
  stdin.once('end', end).once('close', end).once('error', end);
  // A client that no longer reads has left.
  stdout.once('error', end).once('close', end);
  const transport = new BoundedTransport(stdin, stdout);
  // Nothing here changes while it runs, so that there is nothing to subscribe to.
  const server = serveStdio(() => makeServer(caller), { transport, maxSubscriptions: 0 });
  const signal = AbortSignal.any([stop, ended.signal]);
  let isTooLong = false;
  transport.onceClosed = () => {
    isTooLong = !signal.aborted;
    end();
  };
  if (!signal.aborted) await once(signal, 'abort');
  await server.close();
  stdin.destroy();
  if (isTooLong) {
    throw new OperatorError(`The input has a message of more than ${MAX_MESSAGE_LENGTH} bytes`);
  }
}
