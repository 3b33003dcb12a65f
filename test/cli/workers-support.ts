import { writeFileSync } from 'node:fs';
import { Agent, get, type IncomingMessage } from 'node:http';
import { Agent as TlsAgent, get as tlsGet } from 'node:https';
import { text } from 'node:stream/consumers';
import {
  type Json,
  type Serving,
  someTracks,
  staveJson,
  type TemporaryFolder,
} from '../harness/cli.ts';
import { repeatedWhileOverloaded } from '../harness/overload.ts';
import { until } from '../harness/until.ts';

export const TWO = ['--workers', '2'];

interface WorkerResponse {
  /** Names the connection, which one worker serves. */
  port: number;
  status: number;
  headers: IncomingMessage['headers'];
  body: string;
}

/**
 * Sends requests on several connections, so that both workers get some of them. Repeats a request that a worker refuses
 * because of overload.
 */
export function callerOf(service: Serving, token: string, connections = 32) {
  const options = { keepAlive: true, maxSockets: connections };
  const isTls = service.url.startsWith('https:');
  const agent = isTls ? new TlsAgent(options) : new Agent(options);
  const headers = { authorization: `Bearer ${token}` };
  const sendOnce = (path: string) =>
    new Promise<WorkerResponse>((resolve, reject) => {
      const settings = { agent, headers, rejectUnauthorized: false };
      const request = (isTls ? tlsGet : get)(service.url + path, settings, async (response) => {
        const port = response.socket.localPort!;
        try {
          const body = await text(response);
          resolve({ port, status: response.statusCode!, headers: response.headers, body });
        } catch (error) {
          reject(error);
        }
      });
      request.on('error', reject);
    });
  const send = (path: string) =>
    repeatedWhileOverloaded(
      () => sendOnce(path),
      ({ body }) => body,
    );
  return {
    get: send,
    times: (count: number, path: string) =>
      Promise.all(Array.from({ length: count }, () => send(path))),
    [Symbol.dispose]: () => agent.destroy(),
  };
}

export const newClient = (data: string, ...args: string[]) =>
  staveJson(data, [
    'clients',
    'create',
    '-n',
    'A',
    '-s',
    'tracks,search',
    '--allow-duplicate',
    ...args,
  ]);

/** Returns a token of a client, as soon as the service knows the client. */
export async function tokenOf(service: Serving, client: Json): Promise<string> {
  let token = '';
  await until(async () => {
    token = await service.token(client.clientId, client.testSecret).catch(() => '');
    return token !== '';
  }, 'the client');
  return token;
}

export function imported(folder: TemporaryFolder, count: number): Promise<Json> {
  writeFileSync(folder.at('tracks.ndjson'), someTracks(count));
  return staveJson(folder.at('data'), ['import', folder.at('tracks.ndjson')]);
}

/** Returns the values of a metric, by its labels as text. */
export async function metric(port: number, name: string): Promise<Map<string, number>> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  const lines = (await response.text()).split('\n').filter((line) => line.startsWith(name));
  return new Map(
    lines.map((line) => {
      const [series, value] = [line.slice(0, line.lastIndexOf(' ')), line.split(' ').at(-1)];
      return [series.slice(name.length), Number(value)];
    }),
  );
}
