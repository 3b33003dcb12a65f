import { type Command, Option } from 'commander';
import { MODES, type Mode } from '../../../common/caller/scopes.ts';
import { OperatorError } from '../../../common/operator-error.ts';
import type { Store } from '../../../features/store.ts';
import type { UsageRange, UsageSource } from '../../../features/usage/usage-records.ts';
import { day, notEmpty } from '../terminal/arguments.ts';

/** The options of a command that reads records of usage. */
export interface RangeOptions {
  from: number;
  to: number;
  client?: string;
  mode: Mode;
}

/** Adds the options of a range to a command. */
export function withRange(command: Command): Command {
  return command
    .requiredOption('--from <day>', 'the first day, in UTC', day)
    .requiredOption('--to <day>', 'the last day, in UTC', day)
    .option('--client <id>', 'only reports of this client', notEmpty)
    .addOption(
      new Option('--mode <mode>', 'the mode of the reports').choices(MODES).default('live'),
    );
}

/** Returns the range of the options. Throws OperatorError if it ends before it begins. */
export function rangeOf({ from, to, client, mode }: RangeOptions): UsageRange {
  if (from > to) throw new OperatorError('--from must not be after --to');
  return { from, to, mode, clientId: client };
}

/**
 * Returns the clients that have records in the mode of a range. Throws OperatorError for a client that neither exists
 * nor has ever reported: records outlive their clients.
 */
export async function sourcesOf(
  { usageRecords, clients }: Store,
  { mode, clientId }: UsageRange,
): Promise<readonly UsageSource[]> {
  const sources = await usageRecords.sources({ mode, clientId });
  if (clientId === undefined || sources.length > 0) return sources;
  for (const other of MODES) {
    if ((await usageRecords.sources({ mode: other, clientId })).length > 0) return sources;
  }
  if ((await clients.all()).some(({ id }) => id === clientId)) return sources;
  throw new OperatorError(`There is no client ${clientId}, and none has reported under this id.`);
}
