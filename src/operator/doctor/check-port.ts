import { get as getHttp, type IncomingMessage } from 'node:http';
import { get as getHttps } from 'node:https';
import { createServer } from 'node:net';
import type { Config } from '../../app/config/config.ts';
import { type Finding, failed, ok, warning } from './finding.ts';

const TIMEOUT_MS = 3000;

/** Checks whether the port is free, or used by a healthy Stave. */
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
  const response = await health(config);
  const version = response?.headers['x-service-version'];
  if (version === undefined) {
    return failed('port', `${address} is taken by another program`, 'stop it, or set PORT');
  }
  return response?.statusCode === 200
    ? ok('port', `Stave ${version} serves on ${address} and is healthy`)
    : warning(
        'port',
        `Stave ${version} on ${address} is not ready`,
        'it starts or stops: look again',
      );
}

/** Returns the code of the error that prevents listening; undefined if there is none. */
function tryToListen({ host, port }: Config): Promise<string | undefined> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', (error: NodeJS.ErrnoException) => resolve(error.code ?? 'error'));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });
}

function health({ host, port, tls }: Config): Promise<IncomingMessage | undefined> {
  // Uses loopback to reach a service that listens on every address.
  const hostname = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;
  const options = { hostname, port, path: '/health-check', timeout: TIMEOUT_MS };
  return new Promise((resolve) => {
    const onResponse = (response: IncomingMessage) => {
      response.resume();
      resolve(response);
    };
    // The certificate is not verified, because the request sends nothing and asks only for the
    // health.
    const request =
      tls === null
        ? getHttp(options, onResponse)
        : getHttps({ ...options, rejectUnauthorized: false }, onResponse);
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(undefined));
  });
}
