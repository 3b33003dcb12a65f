import { Command, CommanderError, Option } from 'commander';
import { SERVICE_VERSION } from '../../common/version.ts';
import { CatalogCommand, type Shell } from './shell.ts';
import { notEmpty } from './terminal/arguments.ts';
import { explain } from './terminal/output.ts';

/**
 * The commands, in the order of the help. Each is in a module of its own, because most of the time of a short command is
 * that of loading modules.
 */
const COMMANDS: Record<string, (shell: Shell) => Promise<Command>> = {
  serve: async (shell) => (await import('./serve.ts')).serveCommand(shell),
  import: async (shell) => (await import('./import/import-command.ts')).importCommand(shell),
  clients: async (shell) => (await import('./partners/clients.ts')).clientsCommand(shell),
  seats: async (shell) => (await import('./partners/seats.ts')).seatsCommand(shell),
  requests: async (shell) => (await import('./partners/requests.ts')).requestsCommand(shell),
  playlists: async (shell) => (await import('./catalog/playlists.ts')).playlistsCommand(shell),
  filters: async (shell) => (await import('./catalog/languages.ts')).filtersCommand(shell),
  brief: async (shell) => (await import('./catalog/brief.ts')).briefCommand(shell),
  languages: async (shell) => (await import('./catalog/languages.ts')).languagesCommand(shell),
  collections: async (shell) =>
    (await import('./partners/collections.ts')).collectionsCommand(shell),
  'saved-searches': async (shell) =>
    (await import('./partners/collections.ts')).savedSearchesCommand(shell),
  webhooks: async (shell) => (await import('./partners/webhooks.ts')).webhooksCommand(shell),
  previews: async (shell) => (await import('./import/previews.ts')).previewsCommand(shell),
  sound: async (shell) => (await import('./import/sound.ts')).soundCommand(shell),
  tracks: async (shell) => (await import('./catalog/tracks.ts')).tracksCommand(shell),
  'rate-cards': async (shell) =>
    (await import('./licensing/rate-cards.ts')).rateCardsCommand(shell),
  quotes: async (shell) => (await import('./licensing/rate-cards.ts')).quotesCommand(shell),
  licenses: async (shell) => (await import('./licensing/licenses.ts')).licensesCommand(shell),
  usage: async (shell) => (await import('./licensing/usage.ts')).usageCommand(shell),
  report: async (shell) => (await import('./report.ts')).reportCommand(shell),
  keys: async (shell) => (await import('./partners/keys.ts')).keysCommand(shell),
  console: async (shell) => (await import('./partners/keys.ts')).consoleCommand(shell),
  operators: async (shell) => (await import('./partners/operators.ts')).operatorsCommand(shell),
  log: async (shell) => (await import('./log.ts')).logCommand(shell),
  changes: async (shell) => (await import('./log.ts')).changesCommand(shell),
  backup: async (shell) => (await import('./backup.ts')).backupCommand(shell),
  restore: async (shell) => (await import('./backup.ts')).restoreCommand(shell),
  'migrate-store': async (shell) => (await import('./migrate.ts')).migrateStoreCommand(shell),
  'migrate-media': async (shell) => (await import('./migrate.ts')).migrateMediaCommand(shell),
  compact: async (shell) => (await import('./migrate.ts')).compactCommand(shell),
  demo: async (shell) => (await import('./import/import-command.ts')).demoCommand(shell),
  upgrade: async (shell) => (await import('./doctor.ts')).upgradeCommand(shell),
  doctor: async (shell) => (await import('./doctor.ts')).doctorCommand(shell),
  mcp: async (shell) => (await import('./mcp.ts')).mcpCommand(shell),
};

/** @param only the name of the one command to load, if the user has named one */
export async function buildProgram(shell: Shell, only?: string): Promise<Command> {
  const program = new Command('stave')
    .description('The partner API of a music licensor.')
    .version(SERVICE_VERSION, '-V, --version', 'print the version')
    .addHelpText(
      'after',
      '\nEvery command has --help with examples, and --json for scripts. They work while the' +
        '\nservice runs, and take effect within a second. Settings come from the environment:' +
        '\n`stave serve --help` lists them.',
    );
  const one = only !== undefined && Object.hasOwn(COMMANDS, only) ? COMMANDS[only] : undefined;
  for (const load of one ? [one] : Object.values(COMMANDS)) program.addCommand(await load(shell));
  settle(program, shell);
  return program;
}

/** Returns the exit code: 0 done, 1 failed or misused, 2 some records rejected. */
export async function runProgram(argv: readonly string[], shell: Shell): Promise<number> {
  try {
    const program = await buildProgram(shell, argv[0]);
    await program.parseAsync(argv, { from: 'user' });
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
