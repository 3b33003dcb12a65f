import type { AddressInfo } from 'node:net';
import type { StartConsole } from '../../../app/listen.ts';
import type { AppContext } from '../../../app/open/context.ts';
import { OperatorError } from '../../../common/errors.ts';
import { Jobs } from '../jobs/jobs.ts';
import type { ConsoleDependencies, ConsoleRoute } from '../pages/page.ts';
import { clientListRoutes, clientPageRoutes } from '../sections/clients.ts';
import { importRoutes } from '../sections/imports.ts';
import { jobRoutes } from '../sections/job.ts';
import { MetricsHistory } from '../sections/metrics-history.ts';
import { overviewRoutes } from '../sections/overview.ts';
import { playlistRoutes } from '../sections/playlists.ts';
import { rateCardRoutes } from '../sections/rate-cards.ts';
import { saleRoutes } from '../sections/sales.ts';
import { keyRoutes, logRoutes, maintenanceRoutes } from '../sections/system.ts';
import { trackListRoutes, trackPageRoutes } from '../sections/tracks.ts';
import { usageRoutes } from '../sections/usage.ts';
import { webhookRoutes } from '../sections/webhooks.ts';
import { isLoopback } from './guard.ts';
import { makeConsoleServer } from './server.ts';

/** The actor of the changes that are made in the console. */
const ACTOR = 'console';

const UNENCRYPTED =
  'the console sends its password and its pages unencrypted: set STAVE_TLS_CERT, or STAVE_CONSOLE_URL to the https address of a proxy';

/** Serves the console on its own port. Rejects with an OperatorError if it cannot listen there. */
export const startConsole: StartConsole = async ({ context: ofService, metrics, tls }) => {
  const context: AppContext = { ...ofService, by: ACTOR };
  const { clock, log } = context;
  const { host, port, url } = context.config.console!;
  const history = new MetricsHistory({
    metrics,
    clock,
    onError: (error) => log.warn({ err: error }, 'reading the metrics for the console failed'),
  });
  const jobs = new Jobs(context);
  const routes = consoleRoutes({ context, history, jobs });
  const app = makeConsoleServer({ context, routes, tls });
  try {
    await app.listen({ host, port });
  } catch (error) {
    await app.close();
    const { code } = error as NodeJS.ErrnoException;
    const reason = `The console cannot listen on ${host}:${port} (${code})`;
    throw new OperatorError(`${reason}: set STAVE_CONSOLE_PORT to a free port of this machine.`, {
      cause: error,
    });
  }
  history.start();
  const { port: actual } = app.server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  const address = `${tls === null ? 'http' : 'https'}://${name}:${actual}`;
  log.info({ address }, 'the console listens');
  const isEncrypted = tls !== null || url?.startsWith('https:');
  if (!isEncrypted && !isLoopback(host)) log.warn({ address }, UNENCRYPTED);
  return {
    async close() {
      await history.stop();
      await app.close();
      await jobs.close();
    },
  };
};

/** All pages of the console, and the targets of their forms. */
export function consoleRoutes(deps: ConsoleDependencies): ConsoleRoute[] {
  return [
    ...overviewRoutes(deps),
    ...logRoutes(deps),
    ...trackListRoutes(deps),
    ...trackPageRoutes(deps),
    ...playlistRoutes(deps),
    ...importRoutes(deps),
    ...jobRoutes(deps),
    ...clientListRoutes(deps),
    ...clientPageRoutes(deps),
    ...usageRoutes(deps),
    ...webhookRoutes(deps),
    ...rateCardRoutes(deps),
    ...saleRoutes(deps),
    ...keyRoutes(deps),
    ...maintenanceRoutes(deps),
  ];
}
