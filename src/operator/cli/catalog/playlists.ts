import type { Command } from 'commander';
import { OperatorError } from '../../../common/errors.ts';
import { counted } from '../../../common/text/shown.ts';
import { canonicalLanguage, isLanguageTag } from '../../../features/languages/languages.ts';
import type { Playlist, PlaylistWithTracks } from '../../../features/playlists/playlist.ts';
import {
  addTracks,
  changeGrant,
  createPlaylist,
  deletePlaylist,
  findPlaylist,
  removeTracks,
  reorderTracks,
  translatePlaylist,
  updatePlaylist,
} from '../../../features/playlists/playlists.ts';
import { clientIdOf, clientNames } from '../../named.ts';
import { command, group, outputOf, type Shell, withContext } from '../shell.ts';
import {
  commaList,
  commaListOrNone,
  notEmpty,
  shownTime,
  wholeNumber,
  withIsoTimes,
} from '../terminal/arguments.ts';
import { facts, listOf, table } from '../terminal/table.ts';

const TRACKS = ['-t, --tracks <slugs>', 'slugs or ids, comma-separated'] as const;
const PLAYLIST = ['<playlist>', 'slug or id of the playlist'] as const;
const position = wholeNumber(1, 1_000_000);

export const playlistsCommand = group('playlists', 'Create playlists and grant them to clients', [
  (shell) =>
    command(shell, 'create', 'Create a playlist; no client sees it until it is granted', {
      examples: [
        [
          'stave playlists create --name "Night Drive" --tracks neon-rain,low-tide',
          'in this order',
        ],
        ['stave playlists create --name Drafts', 'empty; `playlists add` fills it'],
      ],
    })
      .requiredOption('-n, --name <name>', 'name that partners see')
      .option('-d, --description <text>', 'a sentence or two for partners')
      .option(...TRACKS, commaListOrNone)
      .action(async ({ tracks = [], ...options }) => {
        const { id, slug } = await withContext(shell, (context) =>
          createPlaylist(context, { name: options.name, description: options.description, tracks }),
        );
        outputOf(shell, options).result({ id, slug }, () => `created ${slug} (${id})`);
      }),
  (shell) =>
    command(shell, 'update', "Change a playlist's name or description; its slug stays", {
      examples: [['stave playlists update night-drive --name "Night Drives"', 'renames it']],
    })
      .argument(...PLAYLIST)
      .option('-n, --name <name>', 'the new name')
      .option('-d, --description <text>', 'the new description; "" for none')
      .action(async (playlist: string, options) => {
        const { name, description } = options;
        if (name === undefined && description === undefined) {
          throw new OperatorError('nothing to change: give --name or --description');
        }
        const changed = await withContext(shell, (context) =>
          updatePlaylist(context, playlist, { name, description }),
        );
        outputOf(shell, options).result(forScripts(changed), () => `updated ${changed.slug}`);
      }),
  (shell) =>
    command(shell, 'delete', 'Delete a playlist and its grants; its tracks stay in the catalog', {
      examples: [['stave playlists delete drafts', 'no client sees it after a second']],
    })
      .argument(...PLAYLIST)
      .prints(
        (context, playlist: string) => deletePlaylist(context, playlist),
        ({ slug }) => `deleted ${slug}`,
        ({ id, slug }) => ({ id, slug }),
      ),
  (shell) =>
    command(shell, 'add', 'Put tracks into a playlist', {
      examples: [
        ['stave playlists add night-drive --tracks neon-rain,low-tide', 'at the end'],
        ['stave playlists add night-drive --tracks neon-rain --position 1', 'at the beginning'],
      ],
    })
      .argument(...PLAYLIST)
      .requiredOption(...TRACKS, commaList)
      .option('-p, --position <n>', 'position of the first of them, from 1', position)
      .prints(
        (context, playlist: string, { tracks, position: at }: EditOptions) =>
          addTracks(context, playlist, tracks, at),
        (playlist) => editedText(playlist),
        (playlist) => edited(playlist),
      ),
  (shell) =>
    command(shell, 'remove', 'Take tracks out of a playlist', {
      examples: [['stave playlists remove night-drive --tracks low-tide', 'the others move up']],
    })
      .argument(...PLAYLIST)
      .requiredOption(...TRACKS, commaList)
      .prints(
        (context, playlist: string, { tracks }: EditOptions) =>
          removeTracks(context, playlist, tracks),
        (playlist) => editedText(playlist),
        (playlist) => edited(playlist),
      ),
  (shell) =>
    command(shell, 'reorder', 'Change the order of a playlist', {
      examples: [
        ['stave playlists reorder night-drive --track low-tide --position 1', 'moves one track'],
        ['stave playlists reorder night-drive --tracks low-tide,neon-rain', 'sets the whole order'],
      ],
    })
      .argument(...PLAYLIST)
      .option('-t, --tracks <slugs>', 'every track of the playlist in its new order', commaList)
      .option('--track <slug>', 'the one track to move', notEmpty)
      .option('-p, --position <n>', 'its new position, from 1', position)
      .prints(
        (context, playlist: string, o: EditOptions) => {
          const moves = o.track !== undefined && o.position !== undefined;
          const setsAll =
            o.tracks !== undefined && o.track === undefined && o.position === undefined;
          if (moves === setsAll || (moves && o.tracks !== undefined)) {
            throw new OperatorError(
              'give either --tracks with every track, or --track and --position',
            );
          }
          return reorderTracks(
            context,
            playlist,
            moves ? { track: o.track!, position: o.position! } : { tracks: o.tracks! },
          );
        },
        (playlist) => editedText(playlist),
        (playlist) => edited(playlist),
      ),
  (shell) => grantPlaylistCommand(shell, 'grant'),
  (shell) => grantPlaylistCommand(shell, 'revoke'),
  (shell) =>
    command(shell, 'list', 'List all playlists, or those a client sees', {
      hasTable: true,
      examples: [
        ['stave playlists list', 'by name'],
        ['stave playlists list --client Acme', 'only those that the client sees'],
      ],
    })
      .option(
        '-c, --client <client>',
        'only playlists granted to this client, by its id or name',
        notEmpty,
      )
      .prints(
        async ({ store }, { client }: { client?: string }) => {
          // The list of an unknown client would look like that of a client without playlists.
          const clientId = client === undefined ? undefined : await clientIdOf(store, client);
          const found = await store.playlists.list(clientId === undefined ? {} : { clientId });
          return Promise.all(
            found.map(async (one) => ({ ...one, clients: await store.playlists.grantsOf(one.id) })),
          );
        },
        (playlists) =>
          listOf(playlists, 'no playlists', {
            PLAYLIST: 'slug',
            NAME: 'name',
            TRACKS: 'trackCount',
            SECONDS: 'durationSeconds',
            CLIENTS: ({ clients }) => clients.length,
            UPDATED: 'updatedAt',
          }),
        (playlists) =>
          playlists.map(({ trackCount, durationSeconds, clients, ...playlist }) => {
            return { ...forScripts(playlist), trackCount, durationSeconds, clients };
          }),
      ),
  (shell) =>
    command(shell, 'show', 'Show a playlist with its tracks in order and its grants', {
      hasTable: true,
      examples: [['stave playlists show night-drive', 'taken-down tracks are marked']],
    })
      .argument(...PLAYLIST)
      .prints(
        async ({ store }, playlist: string) => {
          const found = await findPlaylist({ store }, playlist);
          const records = await Promise.all(
            found.trackIds.map((id) => store.catalog.trackRecord(id)),
          );
          const tracks = records
            .filter((record) => record !== undefined)
            .map(({ track: { id, slug, name }, state }) => ({ id, slug, name, state }));
          const clients = await store.playlists.grantsOf(found.id);
          return { found, tracks, clients, names: await clientNames(store) };
        },
        ({ found, tracks, clients, names }) =>
          [
            facts([
              ['name', found.name],
              ['slug', found.slug],
              ['id', found.id],
              ['description', found.description],
              ['clients', clients.map((id) => names.label(id)).join(', ') || 'none'],
              ['created', shownTime(found.createdAt)],
              ['updated', shownTime(found.updatedAt)],
            ]),
            '',
            table(
              ['#', 'TRACK', 'NAME', 'STATE'],
              tracks.map(({ slug, name, state }, i) => {
                return [String(i + 1), slug, name, state === 'live' ? 'live' : 'taken down'];
              }),
            ),
          ].join('\n'),
        ({ found, tracks, clients }) => ({ ...forScripts(found), clients, tracks }),
      ),
  (shell) =>
    command(
      shell,
      'translate',
      'Set the name and the description of a playlist in another language',
      {
        examples: [
          ['stave playlists translate night-drive --language de --name Nachtfahrt', 'in German'],
          ['stave playlists translate night-drive --language de --remove', 'the original again'],
        ],
      },
    )
      .argument('<playlist>', 'slug or id of the playlist')
      .requiredOption('-l, --language <tag>', 'language tag, such as de or pt-BR', languageTag)
      .option('-n, --name <name>', 'the name in this language')
      .option('-d, --description <text>', 'the description; if absent, the original is shown')
      .option('--remove', 'remove both')
      .action(async (playlist: string, options) => {
        const { language, name, description, remove = false } = options;
        if (remove ? (name ?? description) !== undefined : name === undefined) {
          throw new OperatorError('give either --name, with or without --description, or --remove');
        }
        const text = remove ? null : { name, description: description ?? null };
        const { playlist: found, changed } = await withContext(shell, (context) =>
          translatePlaylist(context, playlist, language, text),
        );
        const { id, slug } = found;
        outputOf(shell, options).result({ id, slug, language, changed }, () =>
          changed
            ? `translated ${slug} (${language})`
            : `${slug} is the same already (${language})`,
        );
      }),
]);

interface EditOptions {
  tracks: string[];
  track?: string;
  position?: number;
}

function edited({ id, slug, trackIds }: PlaylistWithTracks): object {
  return { id, slug, trackIds };
}

function editedText({ slug, trackIds }: PlaylistWithTracks): string {
  return `${slug} has ${counted(trackIds.length, 'track')}`;
}

function forScripts({ id, name, slug, description, createdAt, updatedAt }: Playlist): object {
  return withIsoTimes({ id, name, slug, description, createdAt, updatedAt });
}

function grantPlaylistCommand(shell: Shell, name: 'grant' | 'revoke'): Command {
  const grants = name === 'grant';
  const summary = grants ? 'Let a client see a playlist' : 'Hide a playlist from a client again';
  return command(shell, name, summary, {
    examples: [
      [
        `stave playlists ${name} night-drive --client "Acme Video"`,
        `or its id; ${grants ? 'granting' : 'revoking'} twice is fine`,
      ],
    ],
  })
    .argument('<playlist>', 'slug or id of the playlist')
    .requiredOption('-c, --client <client>', 'id or name of the client', notEmpty)
    .prints(
      async (context, given: string, { client }: { client: string }) => {
        const { id } = await findPlaylist(context, given);
        const clientId = await clientIdOf(context.store, client);
        const { playlist, changed } = await changeGrant(context, name, id, clientId);
        return { id: playlist.id, slug: playlist.slug, clientId, granted: grants, changed };
      },
      ({ slug, changed, clientId }) =>
        `${slug} ${changed ? 'is now' : 'was already'} ${grants ? '' : 'not '}granted to ${clientId}`,
    );
}

function languageTag(text: string): string {
  if (!isLanguageTag(text)) {
    throw new OperatorError('--language must be a language tag such as de or pt-BR');
  }
  return canonicalLanguage(text);
}
