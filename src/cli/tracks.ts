import type { Command } from 'commander';
import type { CatalogStore, TrackRecord } from '../catalog/store.ts';
import { StaveError } from '../common/errors.ts';
import { isoTime, shownTime } from './arguments.ts';
import { command, group, outputOf, type Shell, withContext } from './shell.ts';
import { facts } from './table.ts';
import { STATE_WORDS, stateCommands } from './track-states.ts';

/** `stave tracks show | takedown | restore`. */
export function tracksCommand(shell: Shell): Command {
  return group('tracks', 'Show tracks, take them down, restore them', [
    command('show', 'Show one track with its state and source', {
      examples: [
        ['stave tracks show night-drive', 'by its slug'],
        ['stave tracks show night-drive --json', 'everything, for a script'],
      ],
    })
      .argument('<slug>', 'slug or id of the track')
      .action(async (slug: string, options) => {
        const record = await withContext(shell, async ({ store }) =>
          findTrack(store.catalog, slug),
        );
        outputOf(shell, options).result(recordForScripts(record), () => recordForPeople(record));
      }),
    ...stateCommands(shell),
  ]);
}

async function findTrack(
  catalog: Pick<CatalogStore, 'resolveTrack' | 'trackRecord'>,
  slugOrId: string,
): Promise<TrackRecord> {
  const id = await catalog.resolveTrack(slugOrId);
  const record = id === undefined ? undefined : await catalog.trackRecord(id);
  if (record === undefined) {
    throw new StaveError('not_found', `There is no track ${slugOrId}.`);
  }
  return record;
}

function recordForScripts({ track, createdAt, updatedAt, ...rest }: TrackRecord): object {
  return { ...track, ...rest, createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
}

function recordForPeople(record: TrackRecord): string {
  const { track } = record;
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
    ['vocals', track.hasVocals ? 'yes' : 'no'],
    ['PRO', track.isPRO ? 'yes' : 'no'],
    ['tags', track.tags.join(', ')],
    ['ISRC', track.isrc],
    ['audio', record.audioKey ?? 'none'],
    ['artwork', record.artworkKey ?? 'generated'],
    ['source', [record.source, record.externalId].filter((one) => one !== null).join(' / ')],
    ['created', shownTime(record.createdAt)],
    ['updated', shownTime(record.updatedAt)],
  ]);
}
