import { type Command, InvalidArgumentError, Option } from 'commander';
import type { AppContext } from '../../app/open/context.ts';
import { OperatorError, StaveError } from '../../common/errors.ts';
import { isUuid } from '../../common/ids.ts';
import { printableLine } from '../../common/text/shown.ts';
import {
  CHANGE_KINDS,
  type ChangeEntity,
  type ChangeFilter,
  type ChangeReason,
} from '../../engines/change-log/change-log.ts';
import { LOG_DAYS, renewLogEpoch } from '../../engines/change-log/positions.ts';
import { trackHint } from '../../features/takedown/find-tracks.ts';
import { pastClientIdOf } from '../named.ts';
import { actorForPeople, latestChanges, type NamedChange } from '../reports.ts';
import { requireSource } from './catalog/chosen-tracks.ts';
import { command, group, outputOf, type Shell, withContext } from './shell.ts';
import {
  isoTime,
  moment,
  notEmpty,
  shownTime,
  wholeNumber,
  withIsoTimes,
} from './terminal/arguments.ts';
import { isCsv, listOf } from './terminal/table.ts';

interface LogOptions {
  limit: number;
  before?: number;
  track?: string;
  client?: string;
  actor?: string;
  kind?: ChangeFilter;
  entity?: ChangeEntity;
  source?: string;
  batch?: string;
  reason?: string;
  since?: number;
  until?: number;
}

export function logCommand(shell: Shell): Command {
  return command(shell, 'log', 'Show what changed: when, what and by whom, newest first', {
    hasTable: true,
    description:
      'The log keeps changes for ten years (STAVE_HISTORY_YEARS), and takedowns and restorations forever. Options ' +
      'together show only the changes that meet all of them.',
    examples: [
      ['stave log', 'the last 50 changes'],
      ['stave log --track night-drive', 'what happened to a track'],
      ['stave log --kind taken_down --since 2026-01-01', 'the takedowns of a time'],
      ['stave log --reason "2026-118"', 'the changes with this in their reason or reference'],
      ['stave log --source label-a --entity track', 'what happened to the tracks of a source'],
      ['stave log --batch 0199f1c2-7b1e-7c3a-9d2e-3f4a5b6c7d8e', 'what an import changed'],
      ['stave log --limit 1000 --json', 'more, for a script'],
      ['stave log --before 1200', 'the ones before number 1200'],
    ],
  })
    .option('-l, --limit <n>', 'how many', wholeNumber(1, 100_000), 50)
    .option('--before <seq>', 'only changes before this number', wholeNumber(1, 1e15 - 1))
    .option('--track <slug>', 'only changes of this track, by its slug or id', notEmpty)
    .addOption(
      new Option('--client <client>', 'only changes of this client, by its id or name')
        .argParser(notEmpty)
        .conflicts('track'),
    )
    .option('--actor <name>', 'only changes by this actor, as BY shows it', notEmpty)
    .option(
      '--kind <kind>',
      'only changes of this kind, such as taken_down or client.created',
      kind,
    )
    .addOption(
      new Option('--entity <entity>', 'only changes of this kind of object').choices(
        Object.keys(CHANGE_KINDS),
      ),
    )
    .option('--source <name>', 'only changes of tracks that this source has now', notEmpty)
    .option('--batch <id>', 'only changes of this import, by its id of `import list`', notEmpty)
    .option('--reason <text>', 'only changes with this in their reason or reference', notEmpty)
    .option('--since <time>', 'only changes from this day or time (UTC) on', moment('first'))
    .option('--until <time>', 'only changes up to this day or time (UTC)', moment('last'))
    .action(async (options) => {
      const changes = await withContext(shell, async ({ store }) => {
        const filter = await filterOf(store, options);
        return latestChanges(store, options.limit, filter);
      });
      outputOf(shell, options).result(changes.map(forScripts), () => forPeople(changes, options));
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

/** Throws not_found for an unknown slug. An id may belong to a removed track or client. */
async function filterOf(store: AppContext['store'], options: LogOptions): Promise<ChangeFilter> {
  const { before, track, client, actor, since, until, source, batch, reason } = options;
  if (source !== undefined) await requireSource(store.trackFinder, source);
  const entity = entityOf(options);
  const filter: ChangeFilter = {
    ...{ ...options.kind, entity, beforeSeq: before, by: actor, since, until },
    ...{ source, batchId: batch?.toLowerCase(), text: reason },
  };
  if (track === undefined && client === undefined) return filter;
  const entityId = (await pastClientIdOf(store, client)) ?? (await trackId(store, track!));
  return { ...filter, entityId };
}

/** Returns the entity that the options name. Throws OperatorError if they name several. */
function entityOf({ kind, entity, track, client, source }: LogOptions): ChangeEntity | undefined {
  const named: (ChangeEntity | undefined)[] = [
    kind?.entity,
    entity,
    track === undefined && source === undefined ? undefined : 'track',
    client === undefined ? undefined : 'client',
  ];
  const [first, ...others] = new Set(named.filter((one) => one !== undefined));
  if (others.length === 0) return first;
  throw new OperatorError(
    kind?.entity === undefined
      ? `a change of a ${first} is not one of a ${others[0]}`
      : `a change of the kind ${kind.entity}.${kind.kind} is not one of a ${others[0]}`,
  );
}

function nothing({ limit: _, ...filters }: LogOptions & { json?: boolean }): string {
  return Object.keys(filters).length === 0 ? 'nothing has happened yet' : 'no such change';
}

async function trackId(
  { catalog, trackFinder }: AppContext['store'],
  slugOrId: string,
): Promise<string> {
  const id = await catalog.resolveTrack(slugOrId);
  if (id === undefined && !isUuid(slugOrId)) {
    const hint = await trackHint(trackFinder, slugOrId);
    throw new StaveError('not_found', `There is no track ${slugOrId}${hint}.`);
  }
  return id ?? slugOrId.toLowerCase();
}

function forScripts({ at, entity, kind, ...change }: NamedChange): object {
  const { seq, entityId, name, by, batchId, clientId, clientName, seatName, mode } = change;
  const { changed, reason, reference } = change;
  return {
    ...{ seq, at: isoTime(at), what: `${entity}.${kind}`, entity, kind, entityId, name, by },
    ...{ batchId, clientId, clientName, seatName, mode, changed, reason, reference },
  };
}

/** Returns a table, with the reason of a change in a line of its own below it. */
function forPeople(changes: readonly NamedChange[], options: LogOptions): string {
  const [heading, ...rows] = tableOf(changes, nothing(options)).split('\n');
  const explained = rows.flatMap((row, place) => {
    const why = reasonForPeople(changes[place]!);
    return why === '' ? [row] : [row, `    ${why}`];
  });
  return [heading, ...explained].join('\n');
}

/** Returns the reason and the reference of a change as one line; "" without them. */
export function reasonForPeople({ reason, reference }: ChangeReason): string {
  const parts = [reason ?? '', reference === null ? '' : `(${reference})`];
  return printableLine(parts.filter((part) => part !== '').join(' '));
}

function tableOf(changes: readonly NamedChange[], empty: string): string {
  return listOf(changes, empty, {
    '#': 'seq',
    WHEN: ({ at }) => shownTime(at),
    WHAT: ({ entity, kind, changed }) =>
      entity === 'track' && changed?.length
        ? `${entity}.${kind} (${changed.join(', ')})`
        : `${entity}.${kind}`,
    WHICH: ({ name, entityId }) => name ?? entityId,
    BY: actorForPeople,
    ...(isCsv() && { REASON: reasonForPeople }),
  });
}

const SUMMARY = 'Show and renew what positions in the change log depend on';

export const changesCommand = group('changes', SUMMARY, [
  (shell) =>
    command(shell, 'status', 'Show how far the change log reaches', {
      description:
        `Positions before the floor, which are older than ${LOG_DAYS} days, are no longer valid. ` +
        'Only each node knows the requests that wait for changes: see its metric stave_changes_waiting_behind.',
      examples: [['stave changes status --json', 'for a script']],
    }).prints(
      ({ store }) => store.changes.bounds(),
      ({ head, headAt, floor, floorAt, epoch }) =>
        `head ${at(head, headAt)}, floor ${at(floor, floorAt)}, epoch ${epoch ?? 'none before the first start'}`,
      ({ head, headAt, floor, floorAt, epoch }) =>
        withIsoTimes({ head, headAt: headAt || null, floor, floorAt: floorAt || null, epoch }),
    ),
  (shell) =>
    command(shell, 'new-epoch', 'Declare all earlier positions in the change log invalid', {
      description:
        'Run it after PostgreSQL was restored to an earlier moment, and after a failover that lost changes: ' +
        'the numbers of lost changes are assigned again. Partners that follow the changes then load the ' +
        'catalog again. All sessions and sign-in links of seats and operators end. `stave restore` does it by itself.',
      examples: [['stave changes new-epoch', 'before the nodes start on the restored database']],
    }).prints(
      async ({ store, by }) => {
        await store.clientSessions.clear(by);
        await store.operators.endLinksAndSessions();
        return { epoch: await renewLogEpoch(store.settings) };
      },
      ({ epoch }) => `new epoch: ${epoch}`,
    ),
]);

function at(seq: number, time: number): string {
  return time === 0 ? String(seq) : `${seq} (${isoTime(time)})`;
}
