import type { Command } from 'commander';
import { silentLog } from '../../common/log.ts';
import { printableLine } from '../../common/text/printable.ts';
import type { Finding } from '../doctor/finding.ts';
import { command, openAppContext, outputOf, type Shell } from './shell.ts';
import { explain } from './terminal/failure.ts';

const SIGNS = { ok: '✓', warning: '!', failed: '✗' } as const;

/** `stave doctor`. */
export function doctorCommand(shell: Shell): Command {
  return command('doctor', 'Check everything that can prevent Stave from working', {
    description:
      'Settings, data folder, disk, database, the service that uses it, keys, media, audio, previews, clocks, certificate and port. It ' +
      'changes nothing. Exits with 1 if something prevents Stave from working.',
    examples: [
      ['stave doctor', '✓ ok, ! warning, ✗ failure, with advice'],
      ['stave doctor --json', 'for monitoring'],
    ],
  }).action(async (options) => {
    const { examine } = await import('../doctor/examine.ts');
    const { inspectStore, locationOf } = await import('../../app/open/open-store.ts');
    const findings = await examine({
      nodeVersion: shell.nodeVersion,
      clock: shell.clock,
      readConfig: shell.readConfig,
      inspectStore: (config) => inspectStore(locationOf(config), { log: silentLog }),
      openAppContext: (config) => openAppContext(shell, config),
      explain,
    });
    const healthy = findings.every(({ status }) => status !== 'failed');
    outputOf(shell, options).result({ healthy, findings }, () => findings.map(line).join('\n'));
    shell.exitCode = healthy ? 0 : 1;
  });
}

function line({ check, status, detail, advice }: Finding): string {
  const told = `${SIGNS[status]} ${check}: ${printableLine(detail)}`;
  return advice === null ? told : `${told}\n  → ${advice}`;
}
