import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { OperatorError } from '../common/operator-error.ts';
import type { Caller } from './caller.ts';
import { makeServer } from './server.ts';

/** More than any call of a tool needs. */
const LONGEST_MESSAGE = 1024 * 1024;

/** How many calls run at the same time. The next messages stay in the input, so that the client has to wait. */
const MOST_OPEN_CALLS = 100;

type Message = Parameters<StdioServerTransport['send']>[0];

/**
 * Reads no more while many calls have no response, or the client does not read its responses. Calls a function once it
 * closes, which it also does by itself after a message that is too long.
 */
class BoundedTransport extends StdioServerTransport {
  onceClosed = () => {};
  readonly #input: Readable;
  readonly #open = new Set<unknown>();

  constructor(input: Readable, output: Writable) {
    super(input, output, { maxBufferSize: LONGEST_MESSAGE });
    this.#input = input;
  }

  override async start(): Promise<void> {
    const receive = this.onmessage;
    this.onmessage = (message: Message) => {
      if ('method' in message) this.#note(message);
      receive?.(message);
    };
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

  #note(message: Extract<Message, { method: string }>): void {
    // A canceled call has no response.
    if (message.method === 'notifications/cancelled') this.#end(message.params?.requestId);
    if (!('id' in message)) return;
    this.#open.add(message.id);
    if (this.#open.size >= MOST_OPEN_CALLS) this.#input.pause();
  }

  #end(id: unknown): void {
    this.#open.delete(id);
    if (this.#open.size < MOST_OPEN_CALLS) this.#input.resume();
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
    throw new OperatorError(`The input has a message of more than ${LONGEST_MESSAGE} bytes`);
  }
}
