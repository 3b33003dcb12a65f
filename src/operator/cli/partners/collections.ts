import {
  type CollectionRecord,
  shownCollection,
} from '../../../features/collections/collection.ts';
import { shownSavedSearch } from '../../../features/saved-searches/saved-search.ts';
import { clientIdOf, clientNames } from '../../named.ts';
import { command, group } from '../shell.ts';
import { notEmpty, shownTime, withIsoTimes } from '../terminal/arguments.ts';
import { facts, listOf } from '../terminal/table.ts';

const CLIENT = ['-c, --client <client>', 'id or name of the client', notEmpty] as const;

export const collectionsCommand = group('collections', 'Show the collections that clients keep', [
  (shell) =>
    command(shell, 'list', 'List the collections of a client, newest first', {
      hasTable: true,
      examples: [['stave collections list --client 0b6c…', 'in both modes']],
    })
      .requiredOption(...CLIENT)
      .prints(
        async ({ store }, { client }: { client: string }) =>
          store.collections.ofClient(await clientIdOf(store, client)),
        (records) =>
          listOf(records, 'no collections', {
            ID: 'id',
            NAME: 'name',
            MODE: 'mode',
            TRACKS: 'trackCount',
            UNAVAILABLE: 'unavailableCount',
            'SHARED WITH': 'sharedWith',
            UPDATED: 'updatedAt',
          }),
        (records) => records.map((one) => ({ ...shownCollection(one), mode: one.mode })),
      ),
  (shell) =>
    command(shell, 'show', 'Show a collection with its tracks', {
      hasTable: true,
      description: 'Tracks that were taken down keep their place and have no position.',
      examples: [['stave collections show 0193…', '`stave collections list` shows the ids']],
    })
      .argument('<id>', 'id of the collection')
      .prints(
        async ({ store }, id: string) => {
          const record = await store.collections.record(id.toLowerCase());
          return { ...record, label: (await clientNames(store)).label(record.clientId) };
        },
        ({ tracks, label, ...record }) =>
          `${about(record, label)}\n\n${listOf(tracks, 'no tracks', {
            POSITION: ({ position }) => position ?? 'taken down',
            TRACK: 'trackId',
            ADDED: 'addedAt',
            NOTE: 'note',
          })}`,
        ({ tracks, label: _, ...record }) => {
          const { clientId, mode } = record;
          return { ...shownCollection(record), clientId, mode, tracks: tracks.map(withIsoTimes) };
        },
      ),
]);

/** @param client for people */
function about(record: CollectionRecord, client: string): string {
  return facts([
    ['id', record.id],
    ['name', record.name],
    ['description', record.description || 'none'],
    ['client', client],
    ['client id', record.clientId],
    ['mode', record.mode],
    ['version', String(record.version)],
    ['tracks', `${record.trackCount} live, ${record.unavailableCount} taken down`],
    ['shared with', String(record.sharedWith)],
    ['created', shownTime(record.createdAt)],
    ['updated', shownTime(record.updatedAt)],
  ]);
}

export const savedSearchesCommand = group('saved-searches', 'Show the searches that clients keep', [
  (shell) =>
    command(shell, 'list', 'List the saved searches of a client, newest first', {
      hasTable: true,
      description: 'Without the numbers of tracks, which the index of the service counts.',
      examples: [['stave saved-searches list --client 0b6c…', 'in both modes']],
    })
      .requiredOption(...CLIENT)
      .prints(
        async ({ store }, { client }: { client: string }) =>
          store.savedSearches.ofClient(await clientIdOf(store, client)),
        (records) =>
          listOf(records, 'no saved searches', {
            ID: 'id',
            NAME: 'name',
            MODE: 'mode',
            NOTIFY: ({ notify }) => (notify ? 'yes' : 'no'),
            SEEN: 'seenAt',
            UPDATED: 'updatedAt',
            SEARCH: 'query',
          }),
        (records) => records.map((one) => ({ ...shownSavedSearch(one), mode: one.mode })),
      ),
]);
