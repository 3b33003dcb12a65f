import { once } from 'node:events';
import type { Command } from 'commander';
import type { Config } from '../../app/config/config.ts';
import { SETTINGS } from '../../app/config/settings.ts';
import type { StartConsole } from '../../app/listen.ts';
import { openLog } from '../../app/open/logger.ts';
import type { Log } from '../../common/log.ts';
import { command, outputOf, type Shell } from './shell.ts';
import { wholeNumber } from './terminal/arguments.ts';

/** The limit ends a service that hangs. Others stop faster. */
const STOP_SECONDS = 10;

/** More threads than any measured machine has cores. */
const MAX_WORKERS = 64;

/** Runs until SIGTERM or SIGINT. */
export function serveCommand(shell: Shell): Command {
  return command(shell, 'serve', 'Serve the API', {
    description:
      'After SIGTERM or SIGINT, open requests finish and the service ends within ten seconds; a second ' +
      'signal ends it at once. A data folder that another service uses is refused. The greeting goes to ' +
      'stdout, the log to stderr: short lines on a terminal, JSON lines everywhere else.',
    examples: [
      ['stave serve', 'on http://127.0.0.1:8080, from ./data'],
      ['stave serve --workers 4', 'on four cores of this machine'],
      [
        'stave serve --json',
        '{"address"}, and at the start that loads the demo {"demo": {"clientId", "testSecret", "liveSecret", "curl", "contractClient"}}',
      ],
      ['PORT=9000 STAVE_DATA=/var/lib/stave STAVE_DEMO=off stave serve', 'without the demo'],
    ],
  })
    .option(
      '-w, --workers <number>',
      'number of threads, one per core; they share request counts and one index',
      wholeNumber(1, MAX_WORKERS),
      1,
    )
    .addHelpText('after', `\nSettings, from the environment:\n${settingsHelp()}`)
    .action(async (options) => {
      const config = shell.readConfig();
      const log = openLog({ level: config.logLevel, clock: shell.clock });
      const stop = stopRequest(shell);
      let service: Awaited<ReturnType<typeof startServing>>;
      shell.onReload(() => {
        log.info({}, 'SIGHUP: reading the certificate again, if there is one');
        service?.reload();
      });
      const { notifySystemd } = await import('../../app/systemd.ts');
      const { lockForService } = await import('../../app/open/data-folder-lock.ts');
      // Until the end of this function, and at the latest of the process.
      using lock = await lockForService(config, { clock: shell.clock, log });
      service = await startServing(shell, { config, log, stop, count: options.workers });
      if (service === undefined) {
        log.info({}, 'stopped before it was ready');
        return;
      }
      const { address, greeting, responds } = service;
      void notifySystemd({ systemd: config.systemd, log, stop }, responds);
      outputOf(shell, options).result(
        { address, ...(greeting.demo && { demo: greeting.demo }) },
        () => greeting.text.trimEnd(),
      );
      if (!stop.aborted) await once(stop, 'abort');
      log.info({}, 'stopping');
      const deadline = setTimeout(() => {
        log.error({}, 'the stop took too long; the process ends');
        shell.kill(() => lock[Symbol.dispose]());
      }, STOP_SECONDS * 1000);
      try {
        await service.close();
      } finally {
        // A read that still hangs, such as one of a network disk, ends with the process.
        deadline.unref();
      }
    });
}

/** Loads the modules of the console only when it starts. */
const startConsole: StartConsole = async (options) =>
  (await import('../console/server/start.ts')).startConsole(options);

/**
 * Starts one service in this thread, or several in their own threads. Returns undefined if a signal arrived
 * while it waited.
 */
async function startServing(
  { clock, exit }: Shell,
  { config, log, stop, count }: { config: Config; log: Log; stop: AbortSignal; count: number },
) {
  const { startOpening } = await import('../../app/indexing/index-jobs.ts');
  const opening = startOpening(config.dataFolder);
  const deps = { config, clock, log, stop, startConsole, opening };
  try {
    if (count === 1) {
      const { startService } = await import('../../app/service.ts');
      return await startService(deps);
    }
    const { startWorkers } = await import('../../app/workers/pool.ts');
    return await startWorkers({ ...deps, count, onDeath: () => exit(1) });
  } catch (error) {
    if (stop.aborted) return undefined;
    throw error;
  }
}

/** Returns a signal that the first SIGTERM or SIGINT aborts. The second one ends the process. */
function stopRequest(shell: Shell): AbortSignal {
  const stop = new AbortController();
  shell.onStop(() => {
    if (stop.signal.aborted) shell.exit(1);
    stop.abort();
  });
  return stop.signal;
}

function settingsHelp(): string {
  return Object.values(SETTINGS)
    .map(({ name, meaning, otherwise }) => {
      const plain = meaning.replaceAll('`', '');
      return `  ${name}\n      ${plain} Default: ${otherwise}.`;
    })
    .join('\n');
}
