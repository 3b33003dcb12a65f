import { readFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { OperatorError } from '../common/operator-error.ts';
import type { HttpServer } from '../engines/http/server.ts';
import type { Config } from './config/config.ts';

const LISTEN_FAULTS: Readonly<Record<string, string>> = {
  EADDRINUSE: 'something else listens there; stop it, or set PORT',
  EACCES: 'this user may not listen there; ports below 1024 need a privilege',
  EADDRNOTAVAIL: 'this machine has no such address; see HOST',
  ENOTFOUND: 'the name of the host is not known; see HOST',
  ENOTSUP: 'this system lets no two threads share a port; serve without --workers',
};

/**
 * Listens on the configured port. Returns scheme, host and port. `isShared`: whether other threads may listen
 * on the port too; the system then distributes the connections. Throws OperatorError if it cannot listen.
 */
export async function listen(
  app: HttpServer,
  { host, port, tls }: Config,
  { isShared }: { isShared: boolean },
): Promise<string> {
  try {
    const address = await app.listen({ host, port, ...(isShared && { reusePort: true }) });
    // Fastify does not know that our server speaks TLS.
    return tls === null ? address : address.replace(/^http:/, 'https:');
  } catch (error) {
    throw explained(error, host, port);
  }
}

/**
 * Throws OperatorError if another program already listens on the port. Otherwise, listening on a shared port
 * would succeed, and two instances of Stave would each serve some of the callers.
 */
export async function refuseTakenPort({ host, port }: Config): Promise<void> {
  const probe = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      probe.once('error', reject).listen({ host, port, exclusive: true }, resolve);
    });
  } catch (error) {
    throw explained(error, host, port);
  }
  await new Promise((resolve) => probe.close(resolve));
}

function explained(error: unknown, host: string, port: number): unknown {
  const { code = '' } = error as NodeJS.ErrnoException;
  const reason = LISTEN_FAULTS[code];
  return reason === undefined
    ? error
    : new OperatorError(`Cannot listen on ${host}:${port} (${code}): ${reason}.`, { cause: error });
}

/** Reads certificate and key; null if TLS is not configured. Throws OperatorError. */
export async function readTls(config: Config): Promise<{ cert: Buffer; key: Buffer } | null> {
  if (config.tls === null) return null;
  const read = async (name: string, path: string) => {
    try {
      return await readFile(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      throw new OperatorError(`${name} cannot be read from ${path} (${code}).`, { cause: error });
    }
  };
  return {
    cert: await read('STAVE_TLS_CERT', config.tls.certFile),
    key: await read('STAVE_TLS_KEY', config.tls.keyFile),
  };
}
