import type { ClientRecord } from '../../../features/access/clients.ts';
import type { TrackRecord } from '../../../features/catalog/catalog-stores.ts';
import type { PlaylistWithTracks } from '../../../features/playlists/playlist.ts';
import { number } from '../pages/format.ts';
import type { FormSession } from '../pages/forms.ts';
import { type Html, html } from '../pages/html.ts';
import { hiddenFields } from '../pages/layout.ts';
import {
  badge,
  button,
  card,
  facts,
  field,
  form,
  heading,
  PAGE_ROWS,
  pager,
  select,
  table,
} from '../pages/parts.ts';
import { STATES } from '../tracks/track-list.ts';

interface Shown {
  found: PlaylistWithTracks;
  clients: readonly ClientRecord[];
  /** The ids of the clients that see it. */
  granted: readonly string[];
  /** The tracks of one page. */
  records: readonly (TrackRecord | undefined)[];
  at: number;
  hasMore: boolean;
  query: URLSearchParams;
}

/** Shows a playlist. Its tracks can be moved by dragging, and with buttons. */
export function playlistPage(session: FormSession, shown: Shown): Html {
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
  ['Slug', html`<code>${found.slug}</code>`],
  ['Id', html`<code>${found.id}</code>`],
  ['Description', found.description],
  ['Tracks', number(found.trackIds.length)],
])}
${card('Order', html`${order(session, shown)}${pager(to, shown.query, { page: shown.at, hasMore: shown.hasMore })}`)}
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

function order(session: FormSession, { found, records, at }: Shown): Html {
  const to = `/playlists/${found.id}`;
  const first = (at - 1) * PAGE_ROWS + 1;
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
    ['Client', ''],
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
