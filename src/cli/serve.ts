import type { Command } from 'commander';
import type { Config } from '../config.ts';
import type { Log } from '../kernel/log.ts';
import { openLog } from '../logger.ts';
import { SETTINGS } from '../settings.ts';
import { wholeNumber } from './arguments.ts';
import { command, outputOf, type Shell } from './shell.ts';

/** How long a stop may take: the service drains in less, and this ends what would hang. */
const STOP_SECONDS = 10;

/** More threads than any machine that Stave was measured on has cores. */
const MOST_WORKERS = 64;

/** `stave serve`: runs until SIGTERM or SIGINT. */
export function serveCommand(shell: Shell): Command {
  return command('serve', 'Serve the API', {
    description:
      'SIGTERM or SIGINT lets requests in flight finish and ends it within ten seconds; a second ' +
      'one ends it at once. The greeting goes to stdout, the log to stderr as JSON lines.',
    examples: [
      ['stave serve', 'on http://127.0.0.1:8080, from ./data'],
      ['stave serve --workers 4', 'on four cores of this machine'],
      ['PORT=9000 STAVE_DATA=/var/lib/stave STAVE_DEMO=off stave serve', 'without the demo'],
    ],
  })
    .option(
      '-w, --workers <number>',
      'how many threads serve, one a core; they count requests together and share one index',
      wholeNumber(1, MOST_WORKERS),
      1,
    )
    .addHelpText('after', `\nSettings, from the environment:\n${settingsHelp()}`)
    .action(async (options) => {
      const config = shell.readConfig();
      const log = openLog({ level: config.logLevel, clock: shell.clock });
      const stopped = stopRequest(shell);
      const service = await startServing(shell, config, log, options.workers);
      outputOf(shell, options).result({ address: service.address }, () =>
        service.greeting.trimEnd(),
      );
      await stopped;
      log.info({}, 'stopping');
      const deadline = setTimeout(() => {
        log.error({}, 'the stop took too long; ended at once');
        shell.exit(1);
      }, STOP_SECONDS * 1000);
      try {
        await service.close();
      } finally {
        clearTimeout(deadline);
      }
    });
}

/** One service in this thread, or several in threads of their own. */
async function startServing(shell: Shell, config: Config, log: Log, count: number) {
  const { clock } = shell;
  if (count === 1) {
    const { startService } = await import('../service.ts');
    return startService({ config, clock, log });
  }
  const { startWorkers } = await import('../workers/pool.ts');
  return startWorkers({ count, config, clock, log, onDeath: () => shell.exit(1) });
}

/** Resolves at the first signal, whenever it comes; the second one ends the process. */
function stopRequest(shell: Shell): Promise<void> {
  return new Promise((resolve) => {
    let asked = false;
    shell.onStop(() => {
      if (asked) {
        shell.exit(1);
      }
      asked = true;
      resolve();
    });
  });
}

function settingsHelp(): string {
  return Object.values(SETTINGS)
    .map(({ name, meaning, otherwise }) => {
      const plain = meaning.replaceAll('`', '');
      return `  ${name}\n      ${plain} Default: ${otherwise}.`;
    })
    .join('\n');
}
