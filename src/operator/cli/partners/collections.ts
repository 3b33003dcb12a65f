import type { Command } from 'commander';
import {
  type CollectionRecord,
  shownCollection,
} from '../../../features/collections/collection.ts';
import { shownSavedSearch } from '../../../features/saved-searches/saved-search.ts';
import { command, group, outputOf, type Shell, withContext } from '../shell.ts';
import { shownTime, withIsoTimes } from '../terminal/arguments.ts';
import { facts, listOf } from '../terminal/table.ts';

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
        listOf(records, 'no collections', {
          ID: 'id',
          NAME: 'name',
          MODE: 'mode',
          TRACKS: 'trackCount',
          UNAVAILABLE: 'unavailableCount',
          'SHARED WITH': 'sharedWith',
          UPDATED: 'updatedAt',
        }),
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
      outputOf(shell, options).result(
        { ...shownCollection(record), clientId, mode, tracks: tracks.map(withIsoTimes) },
        () =>
          `${about(record)}\n\n${listOf(tracks, 'no tracks', {
            POSITION: ({ position }) => position ?? 'taken down',
            TRACK: 'trackId',
            ADDED: 'addedAt',
            NOTE: 'note',
          })}`,
      );
    });
}

function about(record: CollectionRecord): string {
  return facts([
    ['id', record.id],
    ['name', record.name],
    ['description', record.description || 'none'],
    ['client', record.clientId],
    ['mode', record.mode],
    ['version', String(record.version)],
    ['tracks', `${record.trackCount} live, ${record.unavailableCount} taken down`],
    ['shared with', String(record.sharedWith)],
    ['created', shownTime(record.createdAt)],
    ['updated', shownTime(record.updatedAt)],
  ]);
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
        listOf(records, 'no saved searches', {
          ID: 'id',
          NAME: 'name',
          MODE: 'mode',
          NOTIFY: ({ notify }) => (notify ? 'yes' : 'no'),
          SEEN: 'seenAt',
          UPDATED: 'updatedAt',
          SEARCH: 'query',
        }),
      );
    });
}
