import { Option } from 'commander';
import {
  type Availability,
  type AvailabilityEntry,
  availabilityAt,
  isAvailable,
  type TrackState,
} from '../../../features/availability/availability.ts';
import type { TrackRecord } from '../../../features/catalog/catalog-stores.ts';
import type { Track } from '../../../features/catalog/track.ts';
import type { PartsByList, TrackPart } from '../../../features/catalog/track-parts.ts';
import { findTrack, findTracks, TRACK_STATES } from '../../../features/takedown/find-tracks.ts';
import type { FoundTrack } from '../../../features/takedown/found-track.ts';
import { shownEdits } from '../../track-edits.ts';
import { command, group } from '../shell.ts';
import { isoTime, notEmpty, shownTime, wholeNumber, withIsoTimes } from '../terminal/arguments.ts';
import { facts, fittedTable } from '../terminal/table.ts';
import { requireSource } from './chosen-tracks.ts';
import { provenanceCommand } from './provenance.ts';
import { editCommand, editsForPeople, editsForScripts } from './track-edits.ts';
import { reportCommand } from './track-report.ts';
import { STATE_WORDS, stateCommands } from './track-states.ts';

export const tracksCommand = group('tracks', 'Find, show, edit, take down and restore tracks', [
  (shell) =>
    command(shell, 'find', 'Find tracks of any state', {
      hasTable: true,
      description:
        'Each word of the text must begin a word of the name, an artist, the slug, the id, the external id or the ISRC, ' +
        'whatever the case and the accents. A track with exactly this slug, id or ISRC comes first. It reads the ' +
        'database, and needs some seconds for a million tracks unless it finds enough of them before.',
      examples: [
        ['stave tracks find "mara lindt night"', 'by words of the artist and the name'],
        ['stave tracks find DE-A12-00-00001', 'by ISRC; DEA12 finds those of a registrant'],
        ['stave tracks find night --state taken_down --source label-a --limit 500', 'fewer tracks'],
      ],
    })
      .argument('<text...>', 'the words')
      .option('-s, --source <name>', 'only tracks of this source', notEmpty)
      .addOption(new Option('--state <state>', 'only tracks in this state').choices(TRACK_STATES))
      .option('-l, --limit <n>', 'how many', wholeNumber(1, 10_000), DEFAULT_LIMIT)
      .prints(
        async ({ store }, words: string[], options: Options) => {
          if (options.source !== undefined) await requireSource(store.trackFinder, options.source);
          return findTracks(store.trackFinder, words.join(' '), options);
        },
        ({ tracks, isTruncated }) => forPeople(tracks, isTruncated),
        ({ tracks, isTruncated }) => ({
          tracks: tracks.map(({ rowId: _, ...track }) => track),
          isTruncated,
        }),
      ),
  (shell) =>
    command(shell, 'show', 'Show one track with its state and source', {
      examples: [
        ['stave tracks show night-drive', 'by its slug'],
        ['stave tracks show night-drive --json', 'everything, for a script'],
      ],
    })
      .argument('<slug>', 'slug or id of the track')
      .prints(
        async ({ store, clock }, slug: string) => {
          const record = await findTrack(store, slug);
          const { parts } = (await store.catalog.trackParts(record.track.id))!;
          const edits = await shownEdits((await store.trackEdits.find(record.track.id))!);
          return { record, parts, edits, now: clock.now() };
        },
        ({ record, parts, edits, now }) =>
          facts([...recordForPeople(record, parts, now), ...editsForPeople(edits)]),
        ({ record, parts, edits, now }) => ({
          ...recordForScripts(record, now),
          ...parts,
          edits: editsForScripts(edits),
        }),
      ),
  editCommand,
  reportCommand,
  provenanceCommand,
  ...stateCommands,
]);

function recordForScripts(
  { track, availability, createdAt, updatedAt, ...rest }: TrackRecord,
  now: number,
): object {
  return {
    ...{ ...track, ...rest },
    ...availabilityForScripts(availability, now),
    ...withIsoTimes({ createdAt, updatedAt }),
  };
}

function recordForPeople(
  record: TrackRecord,
  { stems, versions }: PartsByList,
  now: number,
): [string, string][] {
  const { track } = record;
  const partsOf = (word: string, parts: readonly TrackPart[]): [string, string][] =>
    parts.map((part, i) => [`${word} ${i + 1}`, partForPeople(part)]);
  return [
    ['name', track.name],
    ['slug', track.slug],
    ['id', track.id],
    ['state', STATE_WORDS[record.state]],
    ['type', track.type],
    ['artists', track.artists.map(({ name, role }) => `${name} (${role})`).join(', ')],
    ['filters', track.filters.map(({ type, name }) => `${type}:${name}`).join(', ')],
    ['duration', track.durationSeconds === 0 ? 'unknown' : `${track.durationSeconds} s`],
    ['released', track.releaseDate],
    ['bpm', track.bpm],
    ['key', track.songKey.join(', ')],
    ['time', track.timeSignature],
    ['region', track.region],
    ...availabilityForPeople(record.availability, now),
    ['vocals', track.vocals],
    ...provenanceForPeople(track.provenance),
    ['PRO', track.isPRO ? 'yes' : 'no'],
    ['tags', track.tags.join(', ')],
    ['ISRC', track.isrc],
    ['audio', record.audioKey ?? 'none'],
    ['artwork', record.artworkKey ?? 'generated'],
    ['preview', record.previewKey ?? previewOf(record)],
    ['waveform', record.waveformKey ?? 'made of the audio'],
    ...partsOf('stem', stems),
    ...partsOf('version', versions),
    ['source', [record.source, record.externalId].filter((one) => one !== null).join(' / ')],
    ['created', shownTime(record.createdAt)],
    ['updated', shownTime(record.updatedAt)],
  ];
}

/** Returns pairs for `facts`. */
function provenanceForPeople(provenance: Track['provenance']): [string, string][] {
  const { ai, aiParts, trainingAllowed, statement } = provenance;
  return [
    ['made by AI', [ai, ...aiParts].join(', ')],
    [
      'AI training',
      trainingAllowed === null ? 'unknown' : trainingAllowed ? 'allowed' : 'not allowed',
    ],
    ...(statement === null ? [] : [['statement', statement] as [string, string]]),
  ];
}

function partForPeople({ kind, name, durationSeconds, audioKey, sizeBytes }: TrackPart): string {
  const length = durationSeconds === 0 ? 'unknown length' : `${durationSeconds} s`;
  const shown = name === null ? kind : `${kind} "${name}"`;
  return `${shown}, ${length}, ${sizeBytes} bytes, ${audioKey}`;
}

function previewOf({ previewStart }: TrackRecord): string {
  return previewStart === null
    ? 'made of the loudest passage'
    : `made of the audio from ${previewStart} s on`;
}

const DEFAULT_LIMIT = 50;

interface Options {
  source?: string;
  state?: TrackState;
  limit: number;
}

function forPeople(tracks: readonly FoundTrack[], isTruncated: boolean): string {
  const text = fittedTable(tracks, ['SOURCE', 'NAME', 'ARTISTS'], {
    STATE: ({ state }) => (state === 'taken_down' ? 'down' : state),
    ISRC: 'isrc',
    SOURCE: 'source',
    NAME: 'name',
    ARTISTS: ({ artists }) => artists.join(', '),
    SLUG: 'slug',
  });
  if (tracks.length === 0) return 'no such track';
  return isTruncated ? `${text}\nthere are more: add words, or raise --limit` : text;
}

function availabilityForScripts(entries: TrackRecord['availability'], now: number) {
  const { territories, nextSwitch } = availabilityAt(entries, now);
  return {
    availability: entries.map(({ from, until, ...members }) => ({
      ...members,
      ...(from !== undefined && { from: isoTime(from) }),
      ...(until !== undefined && { until: isoTime(until) }),
    })),
    availableIn: territories,
    nextSwitchAt: nextSwitch === null ? null : isoTime(nextSwitch),
  };
}

/** Returns pairs for `facts`. */
function availabilityForPeople(
  entries: TrackRecord['availability'],
  now: number,
): [string, string][] {
  if (entries.length === 0) return [['available', 'always, everywhere']];
  const availability = availabilityAt(entries, now);
  const { nextSwitch } = availability;
  return [
    ...entries.map((entry, i): [string, string] => [`period ${i + 1}`, periodForPeople(entry)]),
    ['available', placeForPeople(availability)],
    ['next switch', nextSwitch === null ? 'none' : shownTime(nextSwitch)],
  ];
}

function periodForPeople(entry: AvailabilityEntry): string {
  const { from, until, territories, excludedTerritories } = entry;
  const time = [
    from === undefined ? '' : `from ${shownTime(from)} `,
    until === undefined ? '' : `until ${shownTime(until)} `,
  ].join('');
  const place = territories === undefined ? 'worldwide' : `in ${territories.join(', ')}`;
  const except =
    excludedTerritories === undefined ? '' : ` except ${excludedTerritories.join(', ')}`;
  return `${time || 'always '}${place}${except}`;
}

function placeForPeople(availability: Availability): string {
  const { territories } = availability;
  if (territories === null) return 'now, everywhere';
  return isAvailable(availability) ? `now, in ${territories.join(', ')}` : 'not now';
}
