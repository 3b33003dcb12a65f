import type { AppContext } from '../../../app/open/context.ts';
import { listClients } from '../../../features/access/clients.ts';
import {
  addTracks,
  createPlaylist,
  deletePlaylist,
  findPlaylist,
  grantPlaylist,
  removeTracks,
  reorderTracks,
  revokePlaylist,
  updatePlaylist,
} from '../../../features/playlists/playlists.ts';
import { edit } from '../pages/edit.ts';
import { duration, number, time } from '../pages/format.ts';
import type { FormSession } from '../pages/forms.ts';
import { html } from '../pages/html.ts';
import { action, type ConsoleRequest, type ConsoleRoute, done, page } from '../pages/page.ts';
import { card, field, form, heading, pageOf, pager, sliceOf, table } from '../pages/parts.ts';
import type { ConsoleDependencies } from '../server/dependencies.ts';
import { playlistPage } from './playlist-page.ts';

/** The list of playlists, the page of each, and what can be changed of it. */
export function playlistRoutes(deps: ConsoleDependencies): ConsoleRoute[] {
  const { context } = deps;
  const { store } = context;
  return [
    page('/playlists', async ({ query, session }) => {
      const at = pageOf(query);
      const { rows, hasMore } = sliceOf(await store.playlists.list({}), at);
      const grants = await Promise.all(rows.map(({ id }) => store.playlists.grantsOf(id)));
      return {
        title: 'Playlists',
        main: html`${heading('Playlists')}${table(
          'Playlists',
          [
            'Name',
            { title: 'Tracks', isNumber: true },
            { title: 'Length', isNumber: true },
            { title: 'Clients', isNumber: true },
            'Updated',
          ],
          rows.map(({ id, name, trackCount, durationSeconds, updatedAt }, i) => [
            html`<a href="/playlists/${id}">${name}</a>`,
            number(trackCount),
            duration(durationSeconds),
            number(grants[i]!.length),
            time(updatedAt),
          ]),
          'There is no playlist yet.',
        )}${pager('/playlists', query, { page: at, hasMore })}${card('New playlist', newPlaylist(session))}`,
      };
    }),
    action('/playlists', async ({ form: given }) => {
      const { id, name } = await createPlaylist(context, {
        name: given.get('name') ?? '',
        description: given.get('description') ?? '',
        tracks: words(given.get('tracks')),
      });
      return done(`/playlists/${id}`, `${name} is created. No client sees it until it is granted.`);
    }),
    page('/playlists/:id', async ({ params, session, query }) => {
      const found = await findPlaylist(context, params.id!);
      const [clients, granted] = await Promise.all([
        listClients(context),
        store.playlists.grantsOf(found.id),
      ]);
      const at = pageOf(query);
      const { rows, hasMore } = sliceOf(found.trackIds, at);
      const records = await Promise.all(rows.map((id) => store.catalog.trackRecord(id)));
      const shown = { found, clients, granted, records, at, hasMore, query };
      return { title: found.name, main: playlistPage(session, shown) };
    }),
    ...playlistActions(deps),
  ];
}

/** What can be changed of a playlist. */
function playlistActions({ context }: ConsoleDependencies): ConsoleRoute[] {
  const here = ({ params }: ConsoleRequest) => `/playlists/${encodeURIComponent(params.id!)}`;
  const change = (
    path: string,
    make: (request: ConsoleRequest, shown: AppContext) => Promise<string>,
  ) =>
    edit(context, `/playlists/:id/${path}`, async (request, shown) =>
      done(here(request), await make(request, shown)),
    );
  return [
    edit(context, '/playlists/:id/delete', async ({ params }, shown) => {
      const { name } = await deletePlaylist(shown, params.id!);
      return done('/playlists', `${name} is deleted. Its tracks stay in the catalog.`);
    }),
    change('update', async ({ params, form: given }, shown) => {
      const texts = { name: given.get('name') ?? '', description: given.get('description') ?? '' };
      const { name } = await updatePlaylist(shown, params.id!, texts);
      return `${name} is saved.`;
    }),
    change('add', async ({ params, form: given }, shown) => {
      const at = given.get('position') || undefined;
      const tracks = words(given.get('tracks'));
      await addTracks(shown, params.id!, tracks, at === undefined ? at : Number(at));
      return 'The tracks are added.';
    }),
    change('remove', async ({ params, form: given }, shown) => {
      await removeTracks(shown, params.id!, [given.get('track') ?? '']);
      return 'The track is removed.';
    }),
    change('move', async ({ params, form: given }, shown) => {
      const order = { track: given.get('track') ?? '', position: Number(given.get('position')) };
      await reorderTracks(shown, params.id!, order);
      return `The track has place ${order.position} now.`;
    }),
    change('grant', async ({ params, form: given }, shown) => {
      await grantPlaylist(shown, params.id!, given.get('client') ?? '');
      return 'The client sees the playlist now.';
    }),
    action('/playlists/:id/revoke', async (request) => {
      const { params, form: given } = request;
      await revokePlaylist(context, params.id!, given.get('client') ?? '');
      return done(here(request), 'The client no longer sees the playlist.');
    }),
  ];
}

function newPlaylist(session: FormSession) {
  return form(
    session,
    '/playlists',
    (
      given,
    ) => html`${field('Name', html`<input name="name" required maxlength="200" autocomplete="off" value="${given.text('name', null)}">`)}
${field('Description', html`<input name="description" maxlength="2000" autocomplete="off" value="${given.text('description', null)}">`, 'Partners see both.')}
${field('Tracks', html`<textarea name="tracks" rows="3">${given.text('tracks', null)}</textarea>`, 'Slugs or ids, in their order. You can also add them later.')}
<button class="primary">Create playlist</button>`,
  );
}

function words(text: string | null): string[] {
  return (text ?? '').split(/[\s,]+/).filter((word) => word !== '');
}
