import { Command, CommanderError } from 'commander';
import { SERVICE_VERSION } from '../kernel/version.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { clientsCommand } from './clients.ts';
import { demoCommand } from './demo.ts';
import { doctorCommand } from './doctor.ts';
import { explain } from './failure.ts';
import { importCommand } from './import-command.ts';
import { keysCommand } from './keys.ts';
import { licensesCommand } from './licenses.ts';
import { logCommand } from './log.ts';
import { migrateMediaCommand } from './migrate-media.ts';
import { migrateStoreCommand } from './migrate-store.ts';
import { playlistsCommand } from './playlists.ts';
import { serveCommand } from './serve.ts';
import type { Shell } from './shell.ts';
import { tracksCommand } from './tracks.ts';

/** The whole command line. */
export function buildProgram(shell: Shell): Command {
  const program = new Command('stave')
    .description('The partner API of a music licensing house.')
    .version(SERVICE_VERSION, '-V, --version', 'print the version')
    .addHelpText(
      'after',
      '\nEvery command has --help with examples, and --json for scripts. All of them work while the' +
        '\nservice runs, and take effect within a second. Settings come from the environment:' +
        '\n`stave serve --help` lists them.',
    );
  for (const made of [
    serveCommand(shell),
    importCommand(shell),
    clientsCommand(shell),
    playlistsCommand(shell),
    tracksCommand(shell),
    licensesCommand(shell),
    keysCommand(shell),
    logCommand(shell),
    backupCommand(shell),
    restoreCommand(shell),
    migrateStoreCommand(shell),
    migrateMediaCommand(shell),
    demoCommand(shell),
    doctorCommand(shell),
  ]) {
    program.addCommand(made);
  }
  settle(program, shell);
  return program;
}

/** Runs one command line; what it ends with: 0 done, 1 failed or misused, 2 some records rejected. */
export async function runProgram(argv: readonly string[], shell: Shell): Promise<number> {
  try {
    await buildProgram(shell).parseAsync(argv, { from: 'user' });
    return shell.exitCode;
  } catch (error) {
    if (error instanceof CommanderError && isHelp(error)) {
      return error.exitCode;
    }
    if (shell.wantsStacks() && error instanceof Error && !(error instanceof CommanderError)) {
      shell.stderr.write(`${error.stack}\n`);
    }
    shell.stderr.write(`stave: ${explain(error)}\n`);
    return 1;
  }
}

/**
 * What holds for every command: it takes `--json`, and throws where commander would print and exit,
 * for the one who runs it prints one line.
 */
function settle(command: Command, shell: Shell): void {
  if (command.commands.length === 0) {
    command.option('--json', 'print the result as one line of JSON');
  }
  command.exitOverride().configureOutput({
    writeOut: (text) => shell.stdout.write(text),
    writeErr: (text) => shell.stderr.write(text),
    outputError: () => {},
  });
  for (const one of command.commands) {
    settle(one, shell);
  }
}

/** Help and version are answers: commander has printed them already. */
function isHelp({ code }: CommanderError): boolean {
  return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code);
}
