import { OperatorError } from '../../../common/errors.ts';
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
import { findTracks } from '../../../features/takedown/find-tracks.ts';
import { clientIdOf } from '../../named.ts';
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
  grantList,
  heading,
  type ListPage,
  maySend,
  PAGE_ROWS,
  pager,
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
      tracks: [],
    });
    return done(
      `/playlists/${id}`,
      `${name} is created. Add its tracks here. No client sees it until it is granted.`,
    );
  }),
  page('/playlists/:id', async ({ params, session, query, context }) => {
    const found = await findPlaylist(context, params.id!);
    const [clients, granted] = await Promise.all([
      listClients(context),
      context.store.playlists.grantsOf(found.id),
    ]);
    const part = sliceOf(found.trackIds, query);
    const records = await Promise.all(part.rows.map((id) => context.store.catalog.trackRecord(id)));
    const text = query.get('find')?.trim() ?? '';
    const matches =
      text === ''
        ? undefined
        : await findTracks(context.store.trackFinder, text, { limit: PAGE_ROWS });
    const shown = { found, clients, granted, records, part, query, text, matches };
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
  edit('/playlists/:id/add', async (request) => {
    const { params, form: given, context } = request;
    const at = given.get('position') || undefined;
    const tracks = [...given.getAll('tracks'), ...words(given.get('slugs'))];
    if (tracks.length === 0) throw new OperatorError('choose at least one track');
    await addTracks(context, params.id!, tracks, at === undefined ? at : Number(at));
    const notice =
      tracks.length === 1 ? 'The track is added.' : `${tracks.length} tracks are added.`;
    const query = new URLSearchParams({ find: given.get('find') ?? '' });
    return done(given.get('find') ? `${here(request)}?${query}` : here(request), notice);
  }),
  change('remove', async ({ params, form: given, context }) => {
    await removeTracks(context, params.id!, [given.get('track') ?? '']);
    return 'The track is removed.';
  }),
  change('move', async ({ params, form: given, context }) => {
    // A button says the place; otherwise the operator has written it.
    const position = Number(given.get('position') || given.get('place'));
    const order = { track: given.get('track') ?? '', position };
    await reorderTracks(context, params.id!, order);
    return `The track has place ${order.position} now.`;
  }),
  change('grant', async ({ params, form: given, context }) => {
    const client = await clientIdOf(context.store, given.get('client') ?? '');
    await changeGrant(context, 'grant', params.id!, client);
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
  /** The text of the search for tracks to add; '' if there is none. */
  text: string;
  matches: Awaited<ReturnType<typeof findTracks>> | undefined;
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
${card('Add tracks', addition(session, shown))}
${card('Order', html`${order(session, shown)}${pager(to, shown.query, shown.part)}`)}
${card('Clients that see it', grants(session, shown))}
${card(
  'Name and description',
  form(
    session,
    `${to}/update`,
    (given) =>
      html`${field('Name', html`<input name="name" required maxlength="200" value="${given.text('name', found.name)}">`)}${field('Description', html`<textarea name="description" rows="2" maxlength="2000">${given.text('description', found.description)}</textarea>`)}<button class="primary">Save</button>`,
    { isShown: true },
  ),
)}`;
}

/** The operator finds tracks, ticks some of them, and may do so again. */
function addition(session: FormSession, { found, text, matches }: Shown): Html {
  const to = `/playlists/${found.id}`;
  if (!maySend(session, `${to}/add`)) return html``;
  return html`<form method="get" action="${to}" class="inline search" role="search" aria-label="Tracks to add">${field('Words, ISRC, slug or id', html`<input type="search" name="find" value="${text}" maxlength="500" autocomplete="off">`)}<button>Find tracks</button></form>
${form(session, `${to}/add`, (given) => {
  const ticked = given.all('tracks');
  const slugs = given.text('slugs', '');
  return html`${
    matches !== undefined &&
    html`<input type="hidden" name="find" value="${text}">${table(
      'Tracks to add',
      'Add | Name | Artists | State | Source | Slug',
      matches.tracks.map(({ id, slug, name, artists, state, source }) => [
        found.trackIds.includes(id)
          ? badge('added')
          : html`<input type="checkbox" name="tracks" value="${slug}" aria-label="Add ${name}"${ticked.includes(slug) && html` checked`}>`,
        html`<a href="/tracks/${id}">${name}</a>`,
        artists.join(', '),
        badge(...STATES[state]),
        source,
        slug,
      ]),
      'No track matches.',
    )}${matches.isTruncated && html`<p>There are more: write more words.</p>`}`
  }<details${slugs !== '' && html` open`}><summary>Or give slugs and ids</summary>${field('Slugs or ids', html`<textarea name="slugs" rows="3">${slugs}</textarea>`, 'In their order, with spaces or on lines of their own.')}</details>${field('Place of the first', html`<input name="position" type="number" min="1" max="${found.trackIds.length + 1}" value="${given.text('position', null)}">`, 'Empty for the end.')}<button class="primary">Add</button>`;
})}`;
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
    const name = html`<a href="/tracks/${track.id}">${track.name}</a>${state !== 'live' && badge(...STATES[state])}`;
    if (!maySend(session, `${to}/move`)) return html`<li>${name}</li>`;
    return html`<li draggable="true" data-place="${place}">${name}<form method="post" action="${to}/move" class="inline">${hiddenFields(session)}<input type="hidden" name="track" value="${track.slug}"><button name="position" value="" class="unseen" tabindex="-1">Move ${track.name}</button><input name="place" type="number" min="1" max="${found.trackIds.length}" value="${place}" aria-label="Place of ${track.name}">${move(place - 1, '↑', 'up', place === 1)}${move(place + 1, '↓', 'down', place === found.trackIds.length)}<button formaction="${to}/remove" aria-label="Remove ${track.name}">×</button></form></li>`;
  });
  return html`<ol class="order" data-order>${items}</ol>`;
}

function grants(session: FormSession, { found, clients, granted }: Shown): Html {
  const to = `/playlists/${found.id}`;
  const isGranted = ({ id }: { id: string }) => granted.includes(id);
  return grantList(session, {
    ...{ to: `${to}/grant`, revokeTo: `${to}/revoke`, name: 'client', empty: 'No client sees it.' },
    granted: clients.filter(isGranted).map(({ id, name }) => ({ id, name, to: `/clients/${id}` })),
    others: clients.filter((one) => !isGranted(one)).map(({ id, name }) => [name, id]),
  });
}
