import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { createServer } from 'node:net';
import type { Config } from '../config.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

const PATIENCE_MS = 3000;

/** Whether the port is free to listen on, or taken by a healthy Stave. */
export async function checkPort(config: Config): Promise<Finding> {
  const address = `${config.host.includes(':') ? `[${config.host}]` : config.host}:${config.port}`;
  if (config.port === 0) {
    return ok('port', 'the system chooses one at each start');
  }
  const code = await tryToListen(config);
  if (code === undefined) {
    return ok('port', `${address} is free`);
  }
  if (code === 'EADDRINUSE') {
    return listener(config, address);
  }
  const advice = code === 'EACCES' ? 'choose a PORT from 1024' : 'set HOST to an address it has';
  return failed('port', `this machine may not listen on ${address} (${code})`, advice);
}

async function listener(config: Config, address: string): Promise<Finding> {
  const answer = await health(config);
  const version = answer?.headers['x-service-version'];
  if (version === undefined) {
    return failed('port', `${address} is taken by another program`, 'stop it, or set PORT');
  }
  return answer?.statusCode === 200
    ? ok('port', `Stave ${version} serves on ${address} and is healthy`)
    : warning(
        'port',
        `Stave ${version} on ${address} is not ready`,
        'it starts or stops: look again',
      );
}

/** The code of what forbids listening there; undefined where nothing does. */
function tryToListen({ host, port }: Config): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function health({ host, port, tls }: Config): Promise<IncomingMessage | undefined> {
  // What listens on every address is asked on loopback.
  const hostname = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const options = { hostname, port, path: '/health-check', timeout: PATIENCE_MS };
  return new Promise((resolve) => {
    const answered = (response: IncomingMessage) => {
      response.resume();
      resolve(response);
    };
    // Only the health is asked for and nothing is told, so whose certificate it is does not matter.
    const request =
      tls === null
        ? getHttp(options, answered)
        : getHttps({ ...options, rejectUnauthorized: false }, answered);
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(undefined));
  });
}
