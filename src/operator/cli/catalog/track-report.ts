import { type Command, Option } from 'commander';
import { OperatorError } from '../../../common/errors.ts';
import { printableLine } from '../../../common/text/shown.ts';
import type { ExplainedChange } from '../../../engines/change-log/change-log.ts';
import { licenseState } from '../../../features/licensing/issued-license.ts';
import type { Twin } from '../../../features/takedown/found-track.ts';
import type { TrackHolders } from '../../../features/takedown/track-references.ts';
import { reportOf, type TrackReport } from '../../reports.ts';
import { reasonForPeople } from '../log.ts';
import { command, outputOf, type Shell, withContext } from '../shell.ts';
import { day, isoTime, shownTime, withIsoTimes } from '../terminal/arguments.ts';
import { facts, firstOf, fittedTable } from '../terminal/table.ts';
import { chosenTracks } from './chosen-tracks.ts';

/** The most tracks of one ISRC that the command reports. */
const MAX_TRACKS = 20;
const ALL_DAYS = { from: 0, to: 100_000 };

const SENT =
  'Requests are counted by month, from the first start of a version that counts them, and kept for three years.';
const UNRECORDED =
  'Stave does not store who has read the feed of changes, nor the single requests. The logs of the nodes have both.';

export function reportCommand(shell: Shell): Command {
  return command(shell, 'report', 'Show what happened to a track, who holds it and who was told', {
    hasTable: true,
    description:
      'Its history with reasons, the messages to webhooks about its takedowns and restorations, what Stave has sent ' +
      'to which clients, the use that clients have reported, and the playlists, collections and licenses that contain ' +
      `it, and other tracks that seem to be the same recording. ${SENT} ${UNRECORDED}`,
    examples: [
      ['stave tracks report night-drive', 'everything, for the answer to a letter'],
      ['stave tracks report night-drive --from 2026-01-01 --to 2026-06-30', 'use of these days'],
    ],
  })
    .argument('<name>', 'slug, id or ISRC of the track')
    .addOption(
      new Option('--from <day>', 'the first day of use, in UTC')
        .argParser(day)
        .default(ALL_DAYS.from, 'the first one'),
    )
    .addOption(
      new Option('--to <day>', 'the last day of use, in UTC')
        .argParser(day)
        .default(ALL_DAYS.to, 'today'),
    )
    .action(async (name: string, options: { from: number; to: number; json?: boolean }) => {
      if (options.from > options.to) throw new OperatorError('--from must not be after --to');
      const output = outputOf(shell, options);
      const reports = await withContext(shell, async ({ store }) => {
        const by = { names: [name], options: {}, stdin: shell.stdin, output };
        const rowIds = await chosenTracks(store.trackFinder, by);
        if (rowIds.length > MAX_TRACKS) {
          throw new OperatorError(
            `${rowIds.length} tracks have the ISRC ${name}: name one of them`,
          );
        }
        const found: TrackReport[] = [];
        for (const track of await store.trackFinder.withRowIds(rowIds)) {
          found.push(await reportOf(store, track, options));
        }
        return found;
      });
      const now = shell.clock.now();
      output.result(
        reports.length === 1
          ? forScripts(reports[0]!, now)
          : { tracks: reports.map((report) => forScripts(report, now)) },
        () => reports.map((report) => forPeople(report, now)).join('\n\n\n'),
      );
    });
}

function forScripts(
  { track: { rowId: _, ...track }, history, told, sent, usage, holders, ...others }: TrackReport,
  now: number,
) {
  return {
    ...track,
    history: history.map(({ seq, at, kind, by, batchId, reason, reference, changed }) =>
      withIsoTimes({ seq, at, kind, by, batchId, reason, reference, changed }),
    ),
    told: told.map(({ change, clientId, clientName, mode, webhookId, delivery }) => {
      const { id: deliveryId, type, status, createdAt, finishedAt } = delivery;
      const message = withIsoTimes({ deliveryId, type, status, createdAt, finishedAt });
      return { seq: change.seq, clientId, clientName, mode, webhookId, ...message };
    }),
    sent: sent.map(({ clientId, clientName, mode, kind, requests, firstAt, lastAt }) =>
      withIsoTimes({ clientId, clientName, mode, kind, requests, firstAt, lastAt }),
    ),
    usage,
    ...holdersForScripts(holders, now),
    twins: twinsForScripts(others.twins),
    hasMoreTwins: others.hasMoreTwins,
  };
}

function forPeople(
  { track, history, told, sent, usage, holders, ...others }: TrackReport,
  now: number,
): string {
  const about = facts([
    ['name', track.name],
    ['artists', track.artists.join(', ')],
    ['slug', track.slug],
    ['id', track.id],
    ['state', track.state.replace('_', ' ')],
    ['source', [track.source, track.externalId].filter((one) => one !== null).join(' / ')],
    ['ISRC', track.isrc],
  ]);
  const held = holdersForPeople(holders, now);
  return [
    about,
    section('HISTORY', history.length === 0 ? 'nothing in the log' : historyText(history)),
    section('WHO WAS TOLD', told.length === 0 ? 'no message to a webhook' : toldTable(told)),
    section(
      'WHO HAS STREAMED IT FROM STAVE',
      sent.length === 0
        ? 'no client, as far as it was counted'
        : fittedTable(sent, ['CLIENT'], {
            FIRST: 'firstAt',
            LAST: 'lastAt',
            MODE: 'mode',
            MEDIA: 'kind',
            REQUESTS: 'requests',
            CLIENT: clientOf,
          }),
    ),
    section(
      'WHO HAS STREAMED IT, AS CLIENTS HAVE REPORTED',
      usage.length === 0
        ? 'no client has reported use'
        : fittedTable(usage, ['CLIENT'], {
            'FIRST DAY': 'firstDay',
            'LAST DAY': 'lastDay',
            MODE: 'mode',
            STREAMS: 'streams',
            DOWNLOADS: 'downloads',
            SYNCS: 'syncs',
            CLIENT: clientOf,
          }),
    ),
    section('WHO HOLDS IT', held.length === 0 ? 'nobody' : held.join('\n')),
    section('ITS TWINS', twinsForPeople(others).join('\n') || 'no other track seems to be it'),
    `${SENT}\n${UNRECORDED}\nLines with "trackId":"${track.id}" are requests for media of the track,\nand lines with "path":"/v1/tracks/changes" are reads of the feed.`,
  ].join('\n\n');
}

function section(title: string, text: string): string {
  return `${title}\n${text}`;
}

function historyText(history: readonly ExplainedChange[]): string {
  return history
    .flatMap((change) => {
      const { at, kind, by, changed } = change;
      const what = changed?.length ? `${kind} (${changed.join(', ')})` : kind;
      const why = reasonForPeople(change);
      const line = printableLine(`${shownTime(at)}  ${what}  by ${by}`);
      return why === '' ? [line] : [line, `    ${why}`];
    })
    .join('\n');
}

function toldTable(told: TrackReport['told']): string {
  return fittedTable(told, ['CLIENT'], {
    CREATED: ({ delivery }) => shownTime(delivery.createdAt),
    TYPE: ({ delivery }) => delivery.type,
    STATUS: ({ delivery }) => delivery.status,
    MODE: 'mode',
    CLIENT: 'clientName',
  });
}

function clientOf(row: { clientName: string | null; clientId: string }): string {
  return row.clientName ?? row.clientId;
}

export function twinsForScripts(twins: readonly Twin[]) {
  return twins.map(({ rowId: _, ...twin }) => twin);
}

/** Returns lines; none if there are no twins. */
export function twinsForPeople({
  twins = [],
  hasMoreTwins = false,
}: {
  twins?: readonly Twin[];
  hasMoreTwins?: boolean;
}): string[] {
  if (twins.length === 0) return [];
  const title = 'these tracks seem to be the same recordings, and stay as they are:';
  const text = fittedTable(firstOf(twins, MAX_PRINTED), ['SOURCE', 'NAME'], {
    STATE: ({ state }) => state.replace('_', ' '),
    SAME: ({ hasSameIsrc }) => (hasSameIsrc ? 'ISRC' : 'name, artist, length'),
    ISRC: 'isrc',
    SOURCE: 'source',
    NAME: 'name',
    SLUG: 'slug',
  });
  const lines = titled(title, twins.length, text);
  if (hasMoreTwins) lines.push(`there are more: only the first ${twins.length} are read`);
  return lines;
}

/** The most collections, licenses and twins in the text for people. */
const MAX_PRINTED = 20;

export function holdersForScripts(
  { playlists, clients, collections, licenses, isTruncated }: TrackHolders,
  now: number,
) {
  return {
    playlists,
    clients,
    collections,
    licenses: licenses.map(({ issuedAt, startsAt, endsAt, revokedAt, ...license }) => ({
      ...license,
      status: licenseState({ startsAt, endsAt, revokedAt }, now),
      ...withIsoTimes({ issuedAt, startsAt, endsAt, revokedAt }),
    })),
    isTruncated,
  };
}

/** Returns lines; none if nobody holds the tracks. */
export function holdersForPeople(holders: TrackHolders, now: number): string[] {
  const { playlists, clients, collections, licenses, isTruncated } = holders;
  const lines: string[] = [];
  if (playlists.length > 0) {
    lines.push(`in the playlists ${playlists.map(({ slug }) => slug).join(', ')}`);
  }
  if (clients.length > 0) {
    const names = clients.map(({ clientId, name }) => `${name} (${clientId})`);
    lines.push(printableLine(`which these clients see: ${names.join(', ')}`));
  }
  lines.push(
    ...titled('in these collections of clients:', collections.length, collectionTable(collections)),
  );
  lines.push(...titled('in these licenses:', licenses.length, licenseTable(licenses, now)));
  if (isTruncated) lines.push('there are more of them: only the first thousand of each are read');
  return lines;
}

function titled(title: string, count: number, text: string): string[] {
  if (count === 0) return [];
  const more = count > MAX_PRINTED ? [`… and ${count - MAX_PRINTED} more, which --json has`] : [];
  return [title, text, ...more];
}

function collectionTable(collections: TrackHolders['collections']): string {
  const shown = firstOf(collections, MAX_PRINTED);
  const columns = { COLLECTION: 'id', MODE: 'mode', CLIENT: 'clientName', NAME: 'name' } as const;
  return fittedTable(shown, ['CLIENT', 'NAME'], columns);
}

function licenseTable(licenses: TrackHolders['licenses'], now: number): string {
  return fittedTable(firstOf(licenses, MAX_PRINTED), ['CLIENT'], {
    LICENSE: 'number',
    STATE: (license) => licenseState(license, now),
    MODE: 'mode',
    STARTS: ({ startsAt }) => isoTime(startsAt).slice(0, 10),
    ENDS: ({ endsAt }) => (endsAt === null ? 'never' : isoTime(endsAt).slice(0, 10)),
    CLIENT: clientOf,
  });
}
