import { Command, CommanderError, Option } from 'commander';
import { SERVICE_VERSION } from '../../common/version.ts';
import { backupCommand, restoreCommand } from './backup.ts';
import { filtersCommand, languagesCommand } from './catalog/languages.ts';
import { playlistsCommand } from './catalog/playlists.ts';
import { tracksCommand } from './catalog/tracks.ts';
import { doctorCommand, upgradeCommand } from './doctor.ts';
import { demoCommand, importCommand } from './import/import-command.ts';
import { previewsCommand } from './import/previews.ts';
import { licensesCommand } from './licensing/licenses.ts';
import { quotesCommand, rateCardsCommand } from './licensing/rate-cards.ts';
import { usageCommand } from './licensing/usage.ts';
import { changesCommand, logCommand } from './log.ts';
import { mcpCommand } from './mcp.ts';
import { migrateMediaCommand, migrateStoreCommand } from './migrate.ts';
import { clientsCommand } from './partners/clients.ts';
import { collectionsCommand, savedSearchesCommand } from './partners/collections.ts';
import { consoleCommand, keysCommand } from './partners/keys.ts';
import { requestsCommand } from './partners/requests.ts';
import { webhooksCommand } from './partners/webhooks.ts';
import { serveCommand } from './serve.ts';
import { CatalogCommand, type Shell } from './shell.ts';
import { notEmpty } from './terminal/arguments.ts';
import { explain } from './terminal/output.ts';

export function buildProgram(shell: Shell): Command {
  const program = new Command('stave')
    .description('The partner API of a music licensor.')
    .version(SERVICE_VERSION, '-V, --version', 'print the version')
    .addHelpText(
      'after',
      '\nEvery command has --help with examples, and --json for scripts. They work while the' +
        '\nservice runs, and take effect within a second. Settings come from the environment:' +
        '\n`stave serve --help` lists them.',
    );
  for (const made of [
    serveCommand(shell),
    importCommand(shell),
    clientsCommand(shell),
    requestsCommand(shell),
    playlistsCommand(shell),
    filtersCommand(shell),
    languagesCommand(shell),
    collectionsCommand(shell),
    savedSearchesCommand(shell),
    webhooksCommand(shell),
    previewsCommand(shell),
    tracksCommand(shell),
    rateCardsCommand(shell),
    quotesCommand(shell),
    licensesCommand(shell),
    usageCommand(shell),
    keysCommand(shell),
    consoleCommand(shell),
    logCommand(shell),
    changesCommand(shell),
    backupCommand(shell),
    restoreCommand(shell),
    migrateStoreCommand(shell),
    migrateMediaCommand(shell),
    demoCommand(shell),
    upgradeCommand(shell),
    doctorCommand(shell),
    mcpCommand(shell),
  ]) {
    program.addCommand(made);
  }
  settle(program, shell);
  return program;
}

/** Returns the exit code: 0 done, 1 failed or misused, 2 some records rejected. */
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
 * Configures every command: no argument may be empty, `--json` and `--csv` are options, and errors are thrown,
 * because the caller prints them as one line.
 */
function settle(command: Command, shell: Shell): void {
  for (const argument of command.registeredArguments) {
    // An empty path would mean the current folder.
    argument.argParser<string | string[]>((text, previous) =>
      argument.variadic ? [...(previous ?? []), notEmpty(text)] : notEmpty(text),
    );
  }
  if (command.registeredArguments.length > 0 || command.commands.length === 0) {
    command.option('--json', 'print the result as one line of JSON');
  }
  if (command instanceof CatalogCommand && command.hasTable) {
    command.addOption(new Option('--csv', 'print the table as CSV').conflicts('json'));
  }
  // Options after a subcommand belong to it: `import` and `import list` both take --json.
  command.enablePositionalOptions();
  command.exitOverride().configureOutput({
    writeOut: (text) => shell.stdout.write(text),
    writeErr: (text) => shell.stderr.write(text),
    outputError: () => {},
  });
  for (const one of command.commands) {
    settle(one, shell);
  }
}

/** Whether commander has printed the help or the version, which is no error. */
function isHelp({ code }: CommanderError): boolean {
  return ['commander.help', 'commander.helpDisplayed', 'commander.version'].includes(code);
}
