import { once } from 'node:events';
import { createServer } from 'node:net';

/**
 * Below the ports that the kernel gives to outgoing connections and to servers on port 0 (Linux: from 32768, others:
 * from 49152), so that no connection of any process takes the port of a test's server before it starts or starts again.
 */
const FIRST = 12_000;
const PORTS_OF_WORKER = 1_000;
const WORKERS = 20;

/** The test files that run at the same time have different numbers, and so different ports. */
const worker = Number(process.env.VITEST_POOL_ID ?? 0) % WORKERS;
/** Another run of the tests on the same machine begins elsewhere. */
let next = Math.floor(Math.random() * PORTS_OF_WORKER);

/** A port of 127.0.0.1 on which nothing listens now. This process gets each port once. */
export async function freePort(): Promise<number> {
  for (let tried = 0; tried < PORTS_OF_WORKER; tried++) {
    const port = FIRST + worker * PORTS_OF_WORKER + (next++ % PORTS_OF_WORKER);
    if (await isFree(port)) return port;
  }
  throw new Error('no port is free');
}

/** Ports of 127.0.0.1 on which nothing listens now, all different. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) ports.push(await freePort());
  return ports;
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer();
  try {
    await once(server.listen(port, '127.0.0.1'), 'listening');
  } catch {
    return false;
  }
  await once(server.close(), 'close');
  return true;
}
