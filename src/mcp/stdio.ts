import { once } from 'node:events';
import type { Readable, Writable } from 'node:stream';
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { OperatorError } from '../common/operator-error.ts';
import type { Caller } from './caller.ts';
import { makeServer } from './server.ts';

/** More than any call of a tool needs. */
const LONGEST_MESSAGE = 1024 * 1024;

/** Calls a function once it closes, which it also does by itself after a message that is too long. */
class ObservedTransport extends StdioServerTransport {
  onceClosed = () => {};

  override async close(): Promise<void> {
    await super.close();
    this.onceClosed();
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
  const transport = new ObservedTransport(stdin, stdout, { maxBufferSize: LONGEST_MESSAGE });
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
