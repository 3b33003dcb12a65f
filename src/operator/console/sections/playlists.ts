import { type ClientRecord, listClients } from '../../../features/access/clients.ts';
import type { TrackRecord } from '../../../features/catalog/catalog-stores.ts';
import type { PlaylistWithTracks } from '../../../features/playlists/playlist.ts';
import {
  addTracks,
  changeGrant,
  createPlaylist,
  deletePlaylist,
  findPlaylist,
  removeTracks,
  reorderTracks,
  updatePlaylist,
} from '../../../features/playlists/playlists.ts';
import { duration, type Html, html, number, time } from '../pages/html.ts';
import { hiddenFields } from '../pages/layout.ts';
import {
  action,
  type ConsoleRequest,
  type ConsoleRoute,
  done,
  edit,
  type FormSession,
  page,
} from '../pages/page.ts';
import {
  badge,
  button,
  card,
  copyable,
  facts,
  field,
  form,
  heading,
  type ListPage,
  PAGE_ROWS,
  pager,
  select,
  sliceOf,
  table,
} from '../pages/parts.ts';
import { STATES } from './tracks.ts';

export const PLAYLIST_ROUTES: readonly ConsoleRoute[] = [
  page('/playlists', async ({ query, session, context: { store } }) => {
    const shown = sliceOf(await store.playlists.list({}), query);
    const grants = await Promise.all(shown.rows.map(({ id }) => store.playlists.grantsOf(id)));
    return {
      title: 'Playlists',
      main: html`${heading('Playlists')}${table(
        'Playlists',
        'Name | # Tracks | # Length | # Clients | Updated',
        shown.rows.map(({ id, name, trackCount, durationSeconds, updatedAt }, i) => [
          html`<a href="/playlists/${id}">${name}</a>`,
          number(trackCount),
          duration(durationSeconds),
          number(grants[i]!.length),
          time(updatedAt),
        ]),
        'There is no playlist yet.',
      )}${pager('/playlists', query, shown)}${card('New playlist', newPlaylist(session))}`,
    };
  }),
  action('/playlists', async ({ form: given, context }) => {
    const { id, name } = await createPlaylist(context, {
      name: given.get('name') ?? '',
      description: given.get('description') ?? '',
      tracks: words(given.get('tracks')),
    });
    return done(`/playlists/${id}`, `${name} is created. No client sees it until it is granted.`);
  }),
  page('/playlists/:id', async ({ params, session, query, context }) => {
    const found = await findPlaylist(context, params.id!);
    const [clients, granted] = await Promise.all([
      listClients(context),
      context.store.playlists.grantsOf(found.id),
    ]);
    const part = sliceOf(found.trackIds, query);
    const records = await Promise.all(part.rows.map((id) => context.store.catalog.trackRecord(id)));
    const shown = { found, clients, granted, records, part, query };
    return { title: found.name, main: playlistPage(session, shown) };
  }),
  edit('/playlists/:id/delete', async ({ params, context }) => {
    const { name } = await deletePlaylist(context, params.id!);
    return done('/playlists', `${name} is deleted. Its tracks stay in the catalog.`);
  }),
  change('update', async ({ params, form: given, context }) => {
    const texts = { name: given.get('name') ?? '', description: given.get('description') ?? '' };
    const { name } = await updatePlaylist(context, params.id!, texts);
    return `${name} is saved.`;
  }),
  change('add', async ({ params, form: given, context }) => {
    const at = given.get('position') || undefined;
    const tracks = words(given.get('tracks'));
    await addTracks(context, params.id!, tracks, at === undefined ? at : Number(at));
    return 'The tracks are added.';
  }),
  change('remove', async ({ params, form: given, context }) => {
    await removeTracks(context, params.id!, [given.get('track') ?? '']);
    return 'The track is removed.';
  }),
  change('move', async ({ params, form: given, context }) => {
    const order = { track: given.get('track') ?? '', position: Number(given.get('position')) };
    await reorderTracks(context, params.id!, order);
    return `The track has place ${order.position} now.`;
  }),
  change('grant', async ({ params, form: given, context }) => {
    await changeGrant(context, 'grant', params.id!, given.get('client') ?? '');
    return 'The client sees the playlist now.';
  }),
  action('/playlists/:id/revoke', async (request) => {
    const { params, form: given } = request;
    await changeGrant(request.context, 'revoke', params.id!, given.get('client') ?? '');
    return done(here(request), 'The client no longer sees the playlist.');
  }),
];

function here({ params }: ConsoleRequest): string {
  return `/playlists/${encodeURIComponent(params.id!)}`;
}

/** @param make returns the text of the notice that the page of the playlist shows then */
function change(path: string, make: (request: ConsoleRequest) => Promise<string>): ConsoleRoute {
  return edit(`/playlists/:id/${path}`, async (request) =>
    done(here(request), await make(request)),
  );
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

interface Shown {
  found: PlaylistWithTracks;
  clients: readonly ClientRecord[];
  /** The ids of the clients that see it. */
  granted: readonly string[];
  /** The tracks of one page. */
  records: readonly (TrackRecord | undefined)[];
  part: ListPage<string>;
  query: URLSearchParams;
}

/** The operator moves tracks by dragging, and with buttons. */
function playlistPage(session: FormSession, shown: Shown): Html {
  const { found } = shown;
  const to = `/playlists/${found.id}`;
  return html`${heading(
    found.name,
    button(session, {
      ...{ to: `${to}/delete`, name: 'Delete', kind: 'danger' },
      confirms: `Delete ${found.name} and its grants? Its tracks stay in the catalog.`,
    }),
  )}
${facts([
  ['Slug', copyable(found.slug, 'slug')],
  ['Id', copyable(found.id, 'id')],
  ['Description', found.description],
  ['Tracks', number(found.trackIds.length)],
])}
${card('Order', html`${order(session, shown)}${pager(to, shown.query, shown.part)}`)}
${card(
  'Add tracks',
  form(
    session,
    `${to}/add`,
    (given) =>
      html`${field('Slugs or ids', html`<textarea name="tracks" rows="2" required>${given.text('tracks', null)}</textarea>`)}${field('Place of the first', html`<input name="position" type="number" min="1" value="${given.text('position', null)}">`, 'Empty for the end.')}<button>Add</button>`,
  ),
)}
${card('Clients that see it', grants(session, shown))}
${card(
  'Name and description',
  form(
    session,
    `${to}/update`,
    (given) =>
      html`${field('Name', html`<input name="name" required maxlength="200" value="${given.text('name', found.name)}">`)}${field('Description', html`<textarea name="description" rows="2" maxlength="2000">${given.text('description', found.description)}</textarea>`)}<button class="primary">Save</button>`,
  ),
)}`;
}

function order(session: FormSession, { found, records, part }: Shown): Html {
  const to = `/playlists/${found.id}`;
  const first = (part.page - 1) * PAGE_ROWS + 1;
  if (records.length === 0) return html`<p class="empty">It has no track yet.</p>`;
  const items = records.map((record, i) => {
    const place = first + i;
    if (record === undefined) return null;
    const { track, state } = record;
    const move = (position: number, sign: string, name: string, isEnd: boolean) =>
      html`<button name="position" value="${position}" aria-label="Move ${track.name} ${name}"${isEnd && html` disabled`}>${sign}</button>`;
    return html`<li draggable="true" data-place="${place}"><span class="place">${place}</span><a href="/tracks/${track.id}">${track.name}</a>${state !== 'live' && badge(...STATES[state])}<form method="post" action="${to}/move" class="inline">${hiddenFields(session)}<input type="hidden" name="track" value="${track.slug}">${move(place - 1, '↑', 'up', place === 1)}${move(place + 1, '↓', 'down', place === found.trackIds.length)}<button formaction="${to}/remove" aria-label="Remove ${track.name}">×</button></form></li>`;
  });
  return html`<ol class="order" data-order>${items}</ol>`;
}

function grants(session: FormSession, { found, clients, granted }: Shown): Html {
  const to = `/playlists/${found.id}`;
  const others = clients.filter(({ id }) => !granted.includes(id));
  return html`${table(
    'Clients that see it',
    'Client |',
    clients
      .filter(({ id }) => granted.includes(id))
      .map(({ id, name }) => [
        html`<a href="/clients/${id}">${name}</a>`,
        button(session, { to: `${to}/revoke`, name: 'Revoke', fields: { client: id } }),
      ]),
    'No client sees it.',
  )}${
    others.length > 0 &&
    form(
      session,
      `${to}/grant`,
      (given) =>
        html`${field(
          'Client',
          select(
            'client',
            others.map(({ id, name }) => [id, name] as const),
            given.text('client', ''),
          ),
        )}<button>Grant</button>`,
      { kind: 'inline' },
    )
  }`;
}
