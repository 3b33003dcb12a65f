import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { WatchedBody } from './bucket.ts';

const IDLE_MS = 150;
/** For bodies that must not fail: bytes that have arrived may wait while other programs use the machine. */
const LONG_IDLE_MS = 1_500;
const PAUSE_MS = 2_500;
const closing: (() => void)[] = [];
afterEach(() => {
  for (const close of closing.splice(0)) close();
});

/** Returns a response over a real connection, and the server's side of it. */
async function exchange(): Promise<[IncomingMessage, ServerResponse]> {
  const server = createServer().listen(0, '127.0.0.1');
  closing.push(() => server.close().closeAllConnections());
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  const outgoing = request({ host: '127.0.0.1', port }).end();
  const [, response] = (await once(server, 'request')) as [IncomingMessage, ServerResponse];
  response.flushHeaders();
  const [incoming] = (await once(outgoing, 'response')) as [IncomingMessage];
  return [incoming, response];
}

describe('WatchedBody', () => {
  it('passes on all bytes', async () => {
    const [incoming, response] = await exchange();
    const bytes = Buffer.alloc(3_000_000, 7);
    response.end(bytes);
    const got = await new WatchedBody(incoming, 10_000).toArray();
    expect(Buffer.concat(got).equals(bytes)).toBe(true);
  });

  it('fails if bytes are requested and none arrive', async () => {
    const [incoming, response] = await exchange();
    response.write('some');
    await expect(new WatchedBody(incoming, IDLE_MS).toArray()).rejects.toThrow('no bytes came');
    expect(incoming.destroyed).toBe(true);
  });

  it('waits for a reader that pauses in the middle or before the end', async () => {
    const [incoming, response] = await exchange();
    response.end(Buffer.alloc(3_000_000, 7));
    const body = new WatchedBody(incoming, LONG_IDLE_MS);
    let got = 0;
    for await (const chunk of body) {
      if (got === 0) await sleep(PAUSE_MS);
      got += chunk.length;
    }
    expect(got).toBe(3_000_000);

    const [short, end] = await exchange();
    end.end('short');
    const whole = new WatchedBody(short, LONG_IDLE_MS);
    whole.read(0);
    await sleep(PAUSE_MS);
    expect(String(Buffer.concat(await whole.toArray()))).toBe('short');
  });

  it('fails if the response is truncated', async () => {
    const [incoming, response] = await exchange();
    response.write('some');
    const read = new WatchedBody(incoming, 10_000).toArray();
    const failed = expect(read).rejects.toThrow();
    await once(incoming, 'data');
    response.destroy();
    await failed;
  });

  it('ends the connection when it is destroyed', async () => {
    const [incoming, response] = await exchange();
    response.write('some');
    const body = new WatchedBody(incoming, 10_000);
    const gone = once(response, 'close');
    body.destroy();
    await gone;
  });
});
