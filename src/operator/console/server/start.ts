import type { AddressInfo } from 'node:net';
import type { StartConsole } from '../../../app/listen.ts';
import type { AppContext } from '../../../app/open/context.ts';
import { OperatorError } from '../../../common/errors.ts';
import { isLoopback } from '../../../common/loopback.ts';
import { FIRST_OPERATOR } from '../../../features/access/operator.ts';
import { consoleAddress, storeConsoleAddress } from '../../console-address.ts';
import { Jobs } from '../jobs/jobs.ts';
import type { ConsoleRoute } from '../pages/page.ts';
import { CLIENT_LIST_ROUTES, CLIENT_PAGE_ROUTES } from '../sections/clients.ts';
import { IMPORT_ROUTES, JOB_ROUTES } from '../sections/imports.ts';
import { RATE_CARD_ROUTES, SALE_ROUTES } from '../sections/licensing.ts';
import { MetricsHistory } from '../sections/metrics-history.ts';
import { OPERATOR_ROUTES } from '../sections/operators.ts';
import { OVERVIEW_ROUTES } from '../sections/overview.ts';
import { USAGE_ROUTES, WEBHOOK_ROUTES } from '../sections/partners.ts';
import { PLAYLIST_ROUTES } from '../sections/playlists.ts';
import { SEARCH_ROUTES } from '../sections/search.ts';
import { SEAT_ROUTES } from '../sections/seats.ts';
import { STATEMENT_ROUTES } from '../sections/statements.ts';
import { KEY_ROUTES, LOG_ROUTES, MAINTENANCE_ROUTES } from '../sections/system.ts';
import { TRACK_LIST_ROUTES, TRACK_PAGE_ROUTES } from '../sections/tracks.ts';
import { makeConsoleServer } from './server.ts';

const UNENCRYPTED =
  'the console sends passwords and its pages unencrypted: set STAVE_TLS_CERT, or STAVE_CONSOLE_URL to the https address of a proxy';

/** Serves the console on its own port. Rejects with an OperatorError if it cannot listen there. */
export const startConsole: StartConsole = async ({
  context: ofService,
  metrics,
  tls,
  passwordThrottle,
}) => {
  const context: AppContext = { ...ofService, by: FIRST_OPERATOR };
  const { clock, log } = context;
  const { host, port, url } = context.config.console!;
  const history = new MetricsHistory({
    metrics,
    clock,
    onError: (error) => log.warn({ err: error }, 'reading the metrics for the console failed'),
  });
  const jobs = new Jobs(context);
  const app = makeConsoleServer({
    ...{ context, history, jobs, routes: CONSOLE_ROUTES, tls, passwordThrottle },
  });
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
  await storeConsoleAddress(context, consoleAddress(context.config.console!, actual, tls !== null));
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

export const CONSOLE_ROUTES: readonly ConsoleRoute[] = [
  ...OVERVIEW_ROUTES,
  ...SEARCH_ROUTES,
  ...LOG_ROUTES,
  ...TRACK_LIST_ROUTES,
  ...TRACK_PAGE_ROUTES,
  ...PLAYLIST_ROUTES,
  ...IMPORT_ROUTES,
  ...JOB_ROUTES,
  ...CLIENT_LIST_ROUTES,
  ...CLIENT_PAGE_ROUTES,
  ...SEAT_ROUTES,
  ...USAGE_ROUTES,
  ...WEBHOOK_ROUTES,
  ...RATE_CARD_ROUTES,
  ...SALE_ROUTES,
  ...OPERATOR_ROUTES,
  ...KEY_ROUTES,
  ...STATEMENT_ROUTES,
  ...MAINTENANCE_ROUTES,
];
