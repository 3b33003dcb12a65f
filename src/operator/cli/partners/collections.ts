import type { Command } from 'commander';
import { printableLine } from '../../../common/text/printable.ts';
import {
  type CollectionRecord,
  shownCollection,
} from '../../../features/collections/collection.ts';
import { shownSavedSearch } from '../../../features/saved-searches/saved-search.ts';
import { command, group, outputOf, type Shell, withContext } from '../shell.ts';
import { isoTime, shownTime } from '../terminal/arguments.ts';
import { facts, table } from '../terminal/table.ts';

/** `stave collections …`: the collections that clients keep. */
export function collectionsCommand(shell: Shell): Command {
  return group('collections', 'Show the collections that clients keep', [list(shell), show(shell)]);
}

function list(shell: Shell): Command {
  return command('list', 'List the collections of a client, newest first', {
    examples: [['stave collections list --client 0b6c…', 'in both modes']],
  })
    .requiredOption('-c, --client <id>', 'id of the client')
    .action(async (options) => {
      const records = await withContext(shell, ({ store }) =>
        store.collections.ofClient(options.client),
      );
      const shown = records.map((record) => ({ ...shownCollection(record), mode: record.mode }));
      outputOf(shell, options).result(shown, () =>
        records.length === 0
          ? 'no collections'
          : table(
              ['ID', 'NAME', 'MODE', 'TRACKS', 'UNAVAILABLE', 'SHARED WITH', 'UPDATED'],
              records.map((record) => [
                record.id,
                printableLine(record.name),
                record.mode,
                String(record.trackCount),
                String(record.unavailableCount),
                String(record.sharedWith),
                shownTime(record.updatedAt),
              ]),
            ),
      );
    });
}

function show(shell: Shell): Command {
  return command('show', 'Show a collection with its tracks', {
    description: 'Tracks that were taken down keep their place and have no position.',
    examples: [['stave collections show 0193…', '`stave collections list` shows the ids']],
  })
    .argument('<id>', 'id of the collection')
    .action(async (id: string, options) => {
      const { tracks, ...record } = await withContext(shell, ({ store }) =>
        store.collections.record(id.toLowerCase()),
      );
      const { clientId, mode } = record;
      const shown = tracks.map(({ addedAt, ...item }) => ({ ...item, addedAt: isoTime(addedAt) }));
      outputOf(shell, options).result(
        { ...shownCollection(record), clientId, mode, tracks: shown },
        () => `${about(record)}\n\n${tableOf(tracks)}`,
      );
    });
}

function about(record: CollectionRecord): string {
  return facts([
    ['id', record.id],
    ['name', printableLine(record.name)],
    ['description', printableLine(record.description) || 'none'],
    ['client', record.clientId],
    ['mode', record.mode],
    ['version', String(record.version)],
    ['tracks', `${record.trackCount} live, ${record.unavailableCount} taken down`],
    ['shared with', String(record.sharedWith)],
    ['created', shownTime(record.createdAt)],
    ['updated', shownTime(record.updatedAt)],
  ]);
}

function tableOf(
  tracks: readonly { position: number | null; trackId: string; note: string; addedAt: number }[],
): string {
  if (tracks.length === 0) return 'no tracks';
  return table(
    ['POSITION', 'TRACK', 'ADDED', 'NOTE'],
    tracks.map(({ position, trackId, note, addedAt }) => [
      position === null ? 'taken down' : String(position),
      trackId,
      shownTime(addedAt),
      printableLine(note),
    ]),
  );
}

/** `stave saved-searches …`: the searches that clients keep. */
export function savedSearchesCommand(shell: Shell): Command {
  return group('saved-searches', 'Show the searches that clients keep', [listSavedSearches(shell)]);
}

function listSavedSearches(shell: Shell): Command {
  return command('list', 'List the saved searches of a client, newest first', {
    description: 'Without the numbers of tracks, which the index of the service counts.',
    examples: [['stave saved-searches list --client 0b6c…', 'in both modes']],
  })
    .requiredOption('-c, --client <id>', 'id of the client')
    .action(async (options) => {
      const records = await withContext(shell, ({ store }) =>
        store.savedSearches.ofClient(options.client),
      );
      const shown = records.map((record) => ({ ...shownSavedSearch(record), mode: record.mode }));
      outputOf(shell, options).result(shown, () =>
        records.length === 0
          ? 'no saved searches'
          : table(
              ['ID', 'NAME', 'MODE', 'NOTIFY', 'SEEN', 'UPDATED', 'SEARCH'],
              records.map((record) => [
                record.id,
                printableLine(record.name),
                record.mode,
                record.notify ? 'yes' : 'no',
                shownTime(record.seenAt),
                shownTime(record.updatedAt),
                printableLine(record.query),
              ]),
            ),
      );
    });
}
