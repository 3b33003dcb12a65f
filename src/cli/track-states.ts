import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import type { AppContext } from '../app/context.ts';
import type { ChosenState, TrackState } from '../catalog/track.ts';
import { StaveError } from '../common/errors.ts';
import { OperatorError } from '../common/operator-error.ts';
import { notEmpty } from './arguments.ts';
import { command, type Example, outputOf, type Shell, withContext } from './shell.ts';

/** What people read for a state. */
export const STATE_WORDS: Readonly<Record<TrackState, string>> = {
  live: 'live',
  taken_down: 'taken down',
  withdrawn: 'withdrawn (a delivery or `restore` makes it live again)',
};

/** How many unknown tracks an error names. */
const MAX_TOLD = 20;

/** `stave tracks takedown` and `stave tracks restore`. */
export function stateCommands(shell: Shell): Command[] {
  return [
    setStates(shell, 'takedown', 'taken_down', 'Remove tracks from the API at once', [
      ['stave tracks takedown night-drive', 'lists, search and its URLs omit it within a second'],
      ['stave tracks takedown --file claimed.txt', 'every track of a list, a slug or id a line'],
    ]),
    setStates(shell, 'restore', 'live', 'Make taken-down or withdrawn tracks live again', [
      ['stave tracks restore night-drive', 'it returns to its places in playlists'],
    ]),
  ];
}

function setStates(
  shell: Shell,
  name: string,
  state: ChosenState,
  summary: string,
  examples: readonly Example[],
): Command {
  return command(name, summary, {
    description:
      'Prints the playlists that contain one of the tracks, and the clients that see these playlists. If a ' +
      'track does not exist, nothing changes.',
    examples,
  })
    .argument('[slugs...]', 'slugs or ids of the tracks')
    .option('--file <path>', 'a file with a slug or an id in each line', notEmpty)
    .action(async (slugs: string[], options) => {
      const named = [...slugs, ...(options.file === undefined ? [] : linesOf(options.file))];
      if (named.length === 0) throw new OperatorError('name a track, or give --file');
      const result = await withContext(shell, (context) => changeAll(context, named, state));
      const { tracks } = result;
      outputOf(shell, options).result(
        { ...(tracks.length === 1 && tracks[0]), state, ...result },
        () => forPeople(state, result),
      );
    });
}

interface Result {
  tracks: { id: string; slug: string; changed: boolean }[];
  playlists: { id: string; slug: string }[];
  clients: { clientId: string; name: string }[];
}

async function changeAll(
  context: AppContext,
  named: readonly string[],
  state: ChosenState,
): Promise<Result> {
  const slugs = await slugsById(context, named);
  const tracks: Result['tracks'] = [];
  for (const [id, slug] of slugs) {
    const changed = await context.store.catalog.setState(id, state, context.by);
    tracks.push({ id, slug, changed });
  }
  return { tracks, ...(await affectedBy(context, slugs)) };
}

/** Returns the slugs of the tracks by id. Throws not_found that names every unknown track. */
async function slugsById(
  { store: { catalog } }: AppContext,
  named: readonly string[],
): Promise<Map<string, string>> {
  const slugs = new Map<string, string>();
  const unknown: string[] = [];
  for (const one of named) {
    const id = await catalog.resolveTrack(one);
    const record = id === undefined ? undefined : await catalog.trackRecord(id);
    if (record === undefined) unknown.push(one);
    else slugs.set(record.track.id, record.track.slug);
  }
  if (unknown.length > 0) {
    const names = unknown.slice(0, MAX_TOLD).join(', ');
    const more = unknown.length > MAX_TOLD ? ` and ${unknown.length - MAX_TOLD} more` : '';
    throw new StaveError('not_found', `There is no track ${names}${more}.`);
  }
  return slugs;
}

/** Returns the playlists that contain one of the tracks, and the clients to which they are granted. */
async function affectedBy(
  { store }: AppContext,
  tracks: ReadonlyMap<string, string>,
): Promise<Pick<Result, 'playlists' | 'clients'>> {
  const playlists: Result['playlists'] = [];
  const clients = new Map<string, string>();
  for (const { id, slug } of await store.playlists.list({})) {
    const playlist = await store.playlists.find(id);
    if (!playlist?.trackIds.some((trackId) => tracks.has(trackId))) continue;
    playlists.push({ id, slug });
    for (const clientId of await store.playlists.grantsOf(id)) {
      clients.set(clientId, (await store.clients.get(clientId))?.name ?? '');
    }
  }
  return { playlists, clients: [...clients].map(([clientId, name]) => ({ clientId, name })) };
}

/** Returns the lines of a file that are not empty. */
function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== '');
  } catch (error) {
    throw new OperatorError(`cannot read ${path}: ${(error as Error).message}`);
  }
}

function forPeople(state: ChosenState, { tracks, playlists, clients }: Result): string {
  const lines = tracks.map(({ slug, changed }) =>
    changed ? `${slug} is ${STATE_WORDS[state]}` : `${slug} was ${STATE_WORDS[state]} already`,
  );
  if (playlists.length > 0) {
    lines.push(`in the playlists ${playlists.map(({ slug }) => slug).join(', ')}`);
  }
  if (clients.length > 0) {
    const names = clients.map(({ clientId, name }) => `${name} (${clientId})`);
    lines.push(`which these clients see: ${names.join(', ')}`);
  }
  return lines.join('\n');
}
