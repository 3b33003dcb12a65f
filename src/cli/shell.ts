import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Writable } from 'node:stream';
import { Command } from 'commander';
import type { Config } from '../config.ts';
import { DATABASE_FILE } from '../data-folder.ts';
import type { House } from '../house.ts';
import type { Clock } from '../kernel/clock.ts';
import { type Log, silentLog } from '../kernel/log.ts';
import { openLog } from '../logger.ts';
import { type Output, openOutput } from './output.ts';

/** What the process lends to the commands. */
export interface Shell {
  stdout: Writable;
  stderr: Writable & { isTTY?: boolean };
  clock: Clock;
  nodeVersion: string;
  /** What the process ends with when the command is done; a command may set it. */
  exitCode: number;
  /** Throws OperatorError. */
  readConfig(): Config;
  /** Whether failures are to be told with their stack. */
  wantsStacks(): boolean;
  /** Ends the process at once. */
  exit(code: number): void;
  /** Calls back at each SIGTERM and SIGINT; returns how to stop that. */
  onStop(callback: () => void): () => void;
}

/** One line of an example and what it does. */
export type Example = readonly [line: string, meaning: string];

/** A command with examples below its help; what it takes and does is added by the caller. */
export function command(
  name: string,
  summary: string,
  { description = '', examples }: { description?: string; examples: readonly Example[] },
): Command {
  return new Command(name)
    .summary(summary)
    .description(description === '' ? `${summary}.` : `${summary}.\n\n${description}`)
    .addHelpText('after', `\nExamples:\n${shown(examples)}`);
}

/** A command that only holds others. */
export function group(name: string, summary: string, commands: readonly Command[]): Command {
  const made = new Command(name).summary(summary).description(`${summary}.`);
  for (const one of commands) {
    made.addCommand(one);
  }
  return made;
}

/** The output that a command's options ask for. */
export function outputOf(shell: Shell, options: { json?: boolean }): Output {
  return openOutput({ json: options.json === true, stdout: shell.stdout, stderr: shell.stderr });
}

/** Does the work with the catalog open, and closes it whatever happens. */
export async function inHouse<T>(shell: Shell, work: (house: House) => Promise<T>): Promise<T> {
  const config = shell.readConfig();
  // A command tells its own result; the log is for those who look for a fault.
  const wanted = config.logLevel === 'debug' || config.logLevel === 'trace';
  const log = wanted ? openLog({ level: config.logLevel, clock: shell.clock }) : silentLog;
  const isNew = config.database === null && !existsSync(join(config.dataFolder, DATABASE_FILE));
  const house = await openHouse(shell, config, log);
  if (isNew && shell.stderr.isTTY === true) {
    // A mistyped STAVE_DATA looks like a catalog that lost everything.
    shell.stderr.write(`a new, empty catalog was made in ${config.dataFolder}\n`);
  }
  try {
    return await work(house);
  } finally {
    await house.close();
  }
}

/**
 * Opens the catalog that a configuration names. What only some commands need is imported where they
 * run, here and elsewhere: it is most of what starting one costs.
 */
export async function openHouse(
  shell: Shell,
  config: Config,
  log: Log = silentLog,
): Promise<House> {
  const house = await import('../house.ts');
  return house.openHouse({ config, clock: shell.clock, log });
}

function shown(examples: readonly Example[]): string {
  return examples.map(([line, meaning]) => `  $ ${line}\n      ${meaning}`).join('\n');
}
