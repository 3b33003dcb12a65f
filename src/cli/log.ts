import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AppContext } from '../app/context.ts';
import {
  CHANGE_KINDS,
  type Change,
  type ChangeEntity,
  type ChangeFilter,
} from '../changes/change-log.ts';
import { LOG_DAYS } from '../changes/log-expiry.ts';
import { StaveError } from '../common/errors.ts';
import { isUuid } from '../common/ids.ts';
import { OperatorError } from '../common/operator-error.ts';
import { isoTime, moment, notEmpty, shownTime, wholeNumber } from './arguments.ts';
import { command, outputOf, type Shell, withContext } from './shell.ts';
import { table } from './table.ts';

/** The options of `stave log`. */
interface LogOptions {
  limit: number;
  before?: number;
  track?: string;
  client?: string;
  actor?: string;
  kind?: ChangeFilter;
  since?: number;
  until?: number;
}

/** `stave log`: the change log, newest first. */
export function logCommand(shell: Shell): Command {
  return command('log', 'Show what changed: when, what and by whom, newest first', {
    description: `The log keeps ${LOG_DAYS} days, and takedowns forever. Options together show only the changes that meet all of them.`,
    examples: [
      ['stave log', 'the last 50 changes'],
      ['stave log --track night-drive', 'what happened to a track'],
      ['stave log --kind taken_down --since 2026-01-01', 'the takedowns of a time'],
      ['stave log --limit 1000 --json', 'more, for a script'],
      ['stave log --before 1200', 'the ones before number 1200'],
    ],
  })
    .option('-l, --limit <n>', 'how many', wholeNumber(1, 100_000), 50)
    .option('--before <seq>', 'only changes before this number', wholeNumber(1, 1e15 - 1))
    .option('--track <slug>', 'only changes of this track, by its slug or id', notEmpty)
    .addOption(
      new Option('--client <id>', 'only changes of this client')
        .argParser(notEmpty)
        .conflicts('track'),
    )
    .option('--actor <name>', 'only changes by this actor, as BY shows it', notEmpty)
    .option(
      '--kind <kind>',
      'only changes of this kind, such as taken_down or client.created',
      kind,
    )
    .option('--since <time>', 'only changes from this day or time (UTC) on', moment('first'))
    .option('--until <time>', 'only changes up to this day or time (UTC)', moment('last'))
    .action(async (options) => {
      const changes = await withContext(shell, async ({ store }) => {
        const filter = await filterOf(store, options);
        const found = await store.changes.latest(options.limit, filter);
        const names = await namesOf(store, found);
        return found.map((change) => ({ ...change, name: names.get(change.entityId) ?? null }));
      });
      outputOf(shell, options).result(changes.map(forScripts), () =>
        changes.length === 0 ? 'nothing has happened yet' : forPeople(changes),
      );
    });
}

/** Parses a kind of change, with its entity (`client.created`) or without (`created`). */
function kind(text: string): ChangeFilter {
  const [, entity, kind = ''] = /^(?:([a-z_]+)\.)?([a-z_]+)$/.exec(text) ?? [];
  const known = Object.entries(CHANGE_KINDS).filter(
    ([one]) => entity === undefined || one === entity,
  );
  if (known.some(([, kinds]) => (kinds as readonly string[]).includes(kind))) {
    return { kind, ...(entity !== undefined && { entity: entity as ChangeEntity }) };
  }
  const all = Object.entries(CHANGE_KINDS).flatMap(([one, kinds]) =>
    kinds.map((each) => `${one}.${each}`),
  );
  throw new InvalidArgumentError(`The kinds are ${all.join(', ')}.`);
}

/** Throws not_found for a slug that no track has. An id may be that of a removed track or client. */
async function filterOf(store: AppContext['store'], options: LogOptions): Promise<ChangeFilter> {
  const { before, track, client, actor, since, until } = options;
  const filter: ChangeFilter = { ...options.kind, beforeSeq: before, by: actor, since, until };
  if (track === undefined && client === undefined) return filter;
  const entity = track === undefined ? 'client' : 'track';
  if (filter.entity !== undefined && filter.entity !== entity) {
    throw new OperatorError(
      `a change of the kind ${filter.entity}.${filter.kind} is not one of a ${entity}`,
    );
  }
  return { ...filter, entity, entityId: client?.toLowerCase() ?? (await trackId(store, track!)) };
}

async function trackId({ catalog }: AppContext['store'], slugOrId: string): Promise<string> {
  const id = await catalog.resolveTrack(slugOrId);
  if (id === undefined && !isUuid(slugOrId)) {
    throw new StaveError('not_found', `There is no track ${slugOrId}.`);
  }
  return id ?? slugOrId.toLowerCase();
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

function forScripts({ at, entity, kind, ...change }: NamedChange): object {
  const { seq, entityId, name, by, batchId, clientId, mode, changed } = change;
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
    clientId,
    mode,
    changed,
  };
}

function forPeople(changes: readonly NamedChange[]): string {
  return table(
    ['#', 'WHEN', 'WHAT', 'WHICH', 'BY'],
    changes.map(({ seq, at, entity, kind, entityId, name, by, changed }) => [
      String(seq),
      shownTime(at),
      entity === 'track' && changed?.length
        ? `${entity}.${kind} (${changed.join(', ')})`
        : `${entity}.${kind}`,
      name ?? entityId,
      by,
    ]),
  );
}
