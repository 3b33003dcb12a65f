import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Readable, Writable } from 'node:stream';
import { Command } from 'commander';
import type { Config, ReportedSettings } from '../../app/config/config.ts';
import type { AppContext } from '../../app/open/context.ts';
import { DATABASE_FILE } from '../../app/open/data-folder.ts';
import type { Clock } from '../../common/clock.ts';
import { type Log, silentLog } from '../../common/log.ts';
import { printable } from '../../common/text/shown.ts';
import { WaitPolicy } from '../../common/work/wait-policy.ts';
import { type Output, openOutput } from './terminal/output.ts';

export interface Shell {
  stdin: Readable & { isTTY?: boolean };
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
  clock: Clock;
  nodeVersion: string;
  /** The exit code when the command is done. A command may set it. */
  exitCode: number;
  /** Throws OperatorError. */
  readConfig(): Config;
  reportSettings(): ReportedSettings;
  /** Of errors. */
  wantsStacks(): boolean;
  exit(code: number): void;
  /**
   * Ends the process without an exit code, even while a read hangs, for which an exit would wait, and even if `last` hangs or
   * fails.
   */
  kill(last: () => void): void;
  /** Gives the processors to other programs first, for work that nobody waits for, until the process ends. */
  lowerPriority(): void;
  /** Calls back at each SIGTERM and SIGINT. Returns a function that ends this. */
  onStop(callback: () => void): () => void;
  /** Calls back at each SIGHUP, which otherwise ends the process. */
  onReload(callback: () => void): void;
}

export type Example = readonly [line: string, meaning: string];

/** A command, to which the caller adds arguments, options, and the action, or what it prints. */
export class CatalogCommand extends Command {
  /** Whether it has the option --csv. */
  readonly hasTable: boolean;
  readonly #shell: Shell;

  constructor(name: string, shell: Shell, hasTable: boolean) {
    super(name);
    this.#shell = shell;
    this.hasTable = hasTable;
  }

  /**
   * Sets an action that prints its result. `work` gets the opened catalog, the arguments and the options. With --json, the
   * result is printed as `json` returns it, otherwise as `text` does.
   */
  prints<Given extends unknown[], Result>(
    work: (context: AppContext, ...given: Given) => Promise<Result>,
    text: (result: NoInfer<Result>) => string,
    json: (result: NoInfer<Result>) => unknown = (result) => result,
  ): this {
    return this.action(async (...all: unknown[]) => {
      const options = all.at(-2) as OutputOptions;
      const result = await withContext(this.#shell, (context) => work(context, ...(all as Given)));
      outputOf(this.#shell, options).result(json(result), () => text(result));
    });
  }
}

/** @param about.hasTable whether the result contains a table, which --csv prints */
export function command(
  shell: Shell,
  name: string,
  summary: string,
  {
    description = '',
    examples,
    hasTable = false,
  }: { description?: string; examples: readonly Example[]; hasTable?: boolean },
): CatalogCommand {
  return new CatalogCommand(name, shell, hasTable)
    .summary(summary)
    .description(description === '' ? `${summary}.` : `${summary}.\n\n${description}`)
    .addHelpText('after', `\nExamples:\n${shown(examples)}`);
}

/** Returns a function that makes a command of subcommands. */
export function group(
  name: string,
  summary: string,
  makers: readonly ((shell: Shell) => Command)[],
): (shell: Shell) => Command {
  return (shell) => {
    const made = new Command(name).summary(summary).description(`${summary}.`);
    for (const make of makers) made.addCommand(make(shell));
    return made;
  };
}

export interface OutputOptions {
  json?: boolean;
  csv?: boolean;
}

export function outputOf(shell: Shell, { json = false, csv = false }: OutputOptions): Output {
  return openOutput({ json, csv, stdout: shell.stdout, stderr: shell.stderr });
}

/** Runs `work` with the opened catalog, and closes it in any case. */
export async function withContext<T>(
  shell: Shell,
  work: (context: AppContext) => Promise<T>,
): Promise<T> {
  const config = shell.readConfig();
  // A command prints its own result, so the log is needed only to find faults.
  const wanted = config.logLevel === 'debug' || config.logLevel === 'trace';
  const log = wanted ? await openLog(shell, config) : silentLog;
  const isNew = config.database === null && !existsSync(join(config.dataFolder, DATABASE_FILE));
  const context = await openAppContext(shell, config, {
    log,
    waitPolicy: waitPolicyOf(shell, config),
  });
  if (isNew && shell.stderr.isTTY === true) {
    // Without this line, the catalog would seem to be lost after a typo in STAVE_DATA.
    shell.stderr.write(`a new, empty catalog was made in ${config.dataFolder}\n`);
  }
  try {
    return await work(context);
  } finally {
    await context.close();
  }
}

/**
 * Opens the catalog of a configuration. Modules that only some commands need are imported when those run,
 * because loading them takes most of the start-up time.
 */
export async function openAppContext(
  shell: Shell,
  config: Config,
  { log = silentLog, waitPolicy }: { log?: Log; waitPolicy?: WaitPolicy } = {},
): Promise<AppContext> {
  const { openAppContext: open } = await import('../../app/open/context.ts');
  return open({ config, clock: shell.clock, log, waitPolicy, mayBlock: true });
}

async function openLog({ clock }: Shell, { logLevel: level }: Config): Promise<Log> {
  const { openLog: open } = await import('../../app/open/logger.ts');
  return open({ level, clock });
}

/** The policy reports on stderr. A signal ends the wait. */
export function waitPolicyOf(shell: Shell, { databaseWaitMs: ms }: Config): WaitPolicy {
  const tell = (text: string) => {
    // Overwrites the line of a progress bar.
    const start = shell.stderr.isTTY === true ? '\r\x1b[K' : '';
    shell.stderr.write(`${start}stave: ${printable(text)}\n`);
  };
  return new WaitPolicy({
    ms,
    onWait: (reason) => tell(`waiting up to ${ms / 1_000} s: ${reason}`),
    onContinue: (waitedMs) => tell(`going on after ${(waitedMs / 1_000).toFixed(1)} s`),
  });
}

function shown(examples: readonly Example[]): string {
  return examples.map(([line, meaning]) => `  $ ${line}\n      ${meaning}`).join('\n');
}
