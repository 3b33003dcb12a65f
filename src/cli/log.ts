import type { Command } from 'commander';
import type { AppContext } from '../app/context.ts';
import type { Change } from '../changes/change-log.ts';
import { LOG_DAYS } from '../changes/log-expiry.ts';
import { isoTime, shownTime, wholeNumber } from './arguments.ts';
import { command, outputOf, type Shell, withContext } from './shell.ts';
import { table } from './table.ts';

/** `stave log`: the change log, newest first. */
export function logCommand(shell: Shell): Command {
  return command('log', 'Show what changed: when, what and by whom, newest first', {
    description: `The log keeps ${LOG_DAYS} days, and takedowns forever.`,
    examples: [
      ['stave log', 'the last 50 changes'],
      ['stave log --limit 1000 --json', 'more, for a script'],
      ['stave log --before 1200', 'the ones before number 1200'],
    ],
  })
    .option('-l, --limit <n>', 'how many', wholeNumber(1, 100_000), 50)
    .option('--before <seq>', 'only changes before this number', wholeNumber(1, 1e15 - 1))
    .action(async (options) => {
      const changes = await withContext(shell, async ({ store }) => {
        const found = await store.changes.latest(options.limit, options.before);
        const names = await namesOf(store, found);
        return found.map((change) => ({ ...change, name: names.get(change.entityId) ?? null }));
      });
      outputOf(shell, options).result(changes.map(forScripts), () =>
        changes.length === 0 ? 'nothing has happened yet' : forPeople(changes),
      );
    });
}

type NamedChange = Change & { name: string | null };

/** Returns the names of the changed objects that still exist: slugs, and names of clients. */
async function namesOf(
  store: AppContext['store'],
  changes: readonly Change[],
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  for (const { entity, entityId } of changes) {
    if (names.has(entityId)) {
      continue;
    }
    const name =
      entity === 'track'
        ? (await store.catalog.trackRecord(entityId))?.track.slug
        : entity === 'playlist'
          ? (await store.playlists.find(entityId))?.slug
          : entity === 'client'
            ? (await store.clients.get(entityId))?.name
            : undefined;
    if (name !== undefined) {
      names.set(entityId, name);
    }
  }
  return names;
}

function forScripts({ seq, at, entity, kind, entityId, name, by, batchId }: NamedChange): object {
  return {
    seq,
    at: isoTime(at),
    what: `${entity}.${kind}`,
    entity,
    kind,
    entityId,
    name,
    by,
    batchId,
  };
}

function forPeople(changes: readonly NamedChange[]): string {
  return table(
    ['#', 'WHEN', 'WHAT', 'WHICH', 'BY'],
    changes.map(({ seq, at, entity, kind, entityId, name, by }) => [
      String(seq),
      shownTime(at),
      `${entity}.${kind}`,
      name ?? entityId,
      by,
    ]),
  );
}
