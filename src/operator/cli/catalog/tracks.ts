import type { Command } from 'commander';
import type { TrackRecord } from '../../../features/catalog/catalog-stores.ts';
import type { PartsByList, TrackPart } from '../../../features/catalog/track-parts.ts';
import { findTrack } from '../../../features/takedown/find-tracks.ts';
import { command, group, outputOf, type Shell, withContext } from '../shell.ts';
import { isoTime, shownTime } from '../terminal/arguments.ts';
import { facts } from '../terminal/table.ts';
import { availabilityForPeople, availabilityForScripts } from './track-availability.ts';
import { findCommand } from './track-find.ts';
import { reportCommand } from './track-report.ts';
import { STATE_WORDS, stateCommands } from './track-states.ts';

/** `stave tracks find | show | report | takedown | restore`. */
export function tracksCommand(shell: Shell): Command {
  return group('tracks', 'Find and show tracks, take them down, restore them', [
    findCommand(shell),
    command('show', 'Show one track with its state and source', {
      examples: [
        ['stave tracks show night-drive', 'by its slug'],
        ['stave tracks show night-drive --json', 'everything, for a script'],
      ],
    })
      .argument('<slug>', 'slug or id of the track')
      .action(async (slug: string, options) => {
        const { record, parts, now } = await withContext(shell, async ({ store, clock }) => {
          const found = await findTrack(store.catalog, slug);
          const { parts } = (await store.catalog.trackParts(found.track.id))!;
          return { record: found, parts, now: clock.now() };
        });
        outputOf(shell, options).result({ ...recordForScripts(record, now), ...parts }, () =>
          recordForPeople(record, parts, now),
        );
      }),
    reportCommand(shell),
    ...stateCommands(shell),
  ]);
}

function recordForScripts(
  { track, availability, createdAt, updatedAt, ...rest }: TrackRecord,
  now: number,
): object {
  return {
    ...{ ...track, ...rest },
    ...availabilityForScripts(availability, now),
    ...{ createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) },
  };
}

function recordForPeople(
  record: TrackRecord,
  { stems, versions }: PartsByList,
  now: number,
): string {
  const { track } = record;
  const partsOf = (word: string, parts: readonly TrackPart[]): [string, string][] =>
    parts.map((part, i) => [`${word} ${i + 1}`, partForPeople(part)]);
  return facts([
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
    ['vocals', track.hasVocals ? 'yes' : 'no'],
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
  ]);
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
