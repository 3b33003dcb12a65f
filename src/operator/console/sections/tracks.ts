import type { AppContext } from '../../../app/open/context.ts';
import { StaveError } from '../../../common/errors.ts';
import {
  artworkContentType,
  audioContentType,
  extensionOf,
} from '../../../engines/blobs/content-types.ts';
import { fileResponse } from '../../../engines/http/response/representation.ts';
import type { ChosenState } from '../../../features/availability/availability.ts';
import type { TrackRecord } from '../../../features/catalog/catalog-stores.ts';
import type { EditableTrack } from '../../../features/catalog/track-edits.ts';
import { licenseState } from '../../../features/licensing/issued-license.ts';
import {
  changeStates,
  MAX_REASON,
  MAX_REFERENCE,
} from '../../../features/takedown/change-states.ts';
import { findTrack, findTracks, TRACK_STATES } from '../../../features/takedown/find-tracks.ts';
import type { FoundTrack } from '../../../features/takedown/found-track.ts';
import type { TrackHolders } from '../../../features/takedown/track-references.ts';
import { latestChanges, reportOf, type TrackReport } from '../../reports.ts';
import { findEditable, type ShownEdit, shownEdits } from '../../track-edits.ts';
import { type Html, html, number, time, trackLength } from '../pages/html.ts';
import {
  action,
  type ConsoleRequest,
  type ConsoleRoute,
  done,
  edit,
  type FileAnswer,
  type FormSession,
  type FormValues,
  page,
} from '../pages/page.ts';
import {
  badge,
  card,
  copyable,
  facts,
  field,
  form,
  heading,
  PAGE_ROWS,
  pageOf,
  pager,
  select,
  type Tone,
  table,
  tick,
  whole,
} from '../pages/parts.ts';

import { editForms, TRACK_EDIT_ROUTES } from './track-edits.ts';

const MAX_TEXT = 500;

/** The label of each state, and its tone. */
export const STATES: Readonly<Record<(typeof TRACK_STATES)[number], readonly [string, Tone]>> = {
  live: ['live', 'good'],
  taken_down: ['taken down', 'bad'],
  withdrawn: ['withdrawn', 'warn'],
  unavailable: ['unavailable', 'warn'],
};

export const TRACK_LIST_ROUTES: readonly ConsoleRoute[] = [
  page('/tracks', async ({ query, context }) => {
    const text = (query.get('q') ?? '').trim().slice(0, MAX_TEXT);
    const state = TRACK_STATES.find((one) => one === query.get('state'));
    const source = query.get('source') || undefined;
    const { trackFinder } = context.store;
    const isSearch = text !== '' || state !== undefined || source !== undefined;
    const at = pageOf(query);
    const part = { limit: PAGE_ROWS, offset: (at - 1) * PAGE_ROWS };
    const [sources, shown] = await Promise.all([
      trackFinder.sources(),
      isSearch
        ? findTracks(trackFinder, text || undefined, { source, state, ...part }).then(
            ({ tracks, isTruncated }) =>
              html`${results(tracks)}${pager('/tracks', query, { page: at, hasMore: isTruncated })}`,
          )
        : changedLast(context),
    ]);
    const search = html`<form method="get" action="/tracks" class="inline search" role="search">
${field('Words, ISRC, slug or id', html`<input type="search" name="q" value="${text}" maxlength="${MAX_TEXT}" autocomplete="off">`)}
${field('State', select('state', [['', 'any'], ...TRACK_STATES.map((one) => [one, STATES[one][0]] as const)], state))}
${field('Source', select('source', [['', 'any'], ...sources], source))}
<button class="primary">Find</button></form>`;
    return {
      title: 'Tracks',
      main: html`${heading('Tracks')}${search}${shown}`,
    };
  }),
];

async function changedLast({ store }: AppContext): Promise<Html> {
  const changes = await latestChanges(store, PAGE_ROWS, { entity: 'track' });
  const last = new Map(changes.toReversed().map((change) => [change.entityId, change]));
  const rows = [...last.values()].sort((a, b) => b.seq - a.seq);
  return html`<h2>Changed last</h2>${table(
    'Changed last',
    'Track | Change | By | When',
    rows.map(({ entityId, name, kind, by, at }) => [
      name === null ? entityId : html`<a href="/tracks/${entityId}">${name}</a>`,
      kind.replaceAll('_', ' '),
      by,
      time(at),
    ]),
    'No track was changed in the time of the log. Search for words, or choose a state or a source.',
  )}`;
}

function results(tracks: readonly FoundTrack[]): Html {
  return table(
    'Tracks',
    'Name | Artists | State | ISRC | Source | Slug',
    tracks.map(({ id, name, artists, state, isrc, source, slug }) => [
      html`<a href="/tracks/${id}">${name}</a>`,
      artists.join(', '),
      badge(...STATES[state]),
      html`<code>${isrc}</code>`,
      source,
      slug,
    ]),
    'No track matches.',
  );
}

/** All days of reported use. */
const ALL_DAYS = { from: 0, to: 100_000 };
const SHOWN_HOLDERS = 50;

export const TRACK_PAGE_ROUTES: readonly ConsoleRoute[] = [
  page('/tracks/:id', async ({ params, session, context: { store, clock } }) => {
    const record = await findTrack(store, params.id!);
    const [rowIds = []] = await store.trackFinder.named([record.track.id]);
    const [track] = await store.trackFinder.withRowIds(rowIds);
    const report = await reportOf(store, track!, ALL_DAYS);
    const editable = await findEditable(store, record.track.id);
    const edits = await shownEdits(editable);
    const main = trackPage(session, { record, editable, edits, report, now: clock.now() });
    return { title: record.track.name, main };
  }),
  page('/tracks/:id/audio', (request) => mediaFile(request, 'audioKey', audioContentType)),
  page('/tracks/:id/artwork', (request) => mediaFile(request, 'artworkKey', artworkContentType)),
  action('/tracks/:id/takedown', (request) => setState(request, 'taken_down')),
  edit('/tracks/:id/restore', (request) => setState(request, 'live')),
  ...TRACK_EDIT_ROUTES,
];

/** The file of a track, of which a browser may ask for ranges. */
async function mediaFile(
  { params, context: { store, media }, raw }: ConsoleRequest,
  which: 'audioKey' | 'artworkKey',
  typeOf: (key: string) => string | undefined,
): Promise<FileAnswer> {
  const { [which]: key } = await findTrack(store, params.id!);
  const absent = () => new StaveError('not_found', 'There is no such file.');
  if (key === null) throw absent();
  const request = { method: raw.method === 'HEAD' ? 'HEAD' : 'GET', headers: raw.headers } as const;
  const contentType = typeOf(key) ?? 'application/octet-stream';
  // Another file has another tag. Each request needs a session.
  return {
    file: await fileResponse(media, request, {
      key,
      contentType,
      cacheControl: 'private, no-cache',
      absent,
    }),
  };
}

async function setState({ context, params, form: given }: ConsoleRequest, state: ChosenState) {
  const { store } = context;
  const { track } = await findTrack(store, params.id!);
  const isOfIsrc = state === 'taken_down' && given.get('allOfIsrc') === 'yes';
  const [rowIds = []] = await (isOfIsrc && track.isrc !== ''
    ? store.trackFinder.withIsrcs([track.isrc])
    : store.trackFinder.named([track.id]));
  const text = (name: string, most: number) => given.get(name)?.trim().slice(0, most) || null;
  const { changedCount, unavailableCount } = await changeStates(context, rowIds, {
    state,
    reason: text('reason', MAX_REASON),
    reference: text('reference', MAX_REFERENCE),
    dryRun: false,
    isBulk: false,
  });
  const which = changedCount > 1 ? `${changedCount} tracks are` : `${track.name} is`;
  const now =
    unavailableCount > 0
      ? 'unavailable: it is outside of its periods of availability'
      : state === 'live'
        ? 'restored'
        : 'taken down';
  const notice =
    changedCount > 0
      ? `${which} ${now}. It takes effect within a second.`
      : `${track.name} had this state already.`;
  return done(`/tracks/${track.id}`, notice);
}

interface ShownTrack {
  record: TrackRecord;
  editable: EditableTrack;
  edits: readonly ShownEdit[];
  report: TrackReport;
  now: number;
}

function trackPage(
  session: FormSession,
  { record, editable, edits, report, now }: ShownTrack,
): Html {
  const { track, state } = record;
  return html`${heading(html`${track.name} ${badge(...STATES[state])}`)}
${listen(record)}
${facts([
  ['Artists', track.artists.map(({ name, role }) => `${name} (${role})`).join(', ')],
  ['Slug', copyable(track.slug, 'slug')],
  ['Id', copyable(track.id, 'id')],
  ['ISRC', track.isrc && copyable(track.isrc, 'ISRC')],
  ['Source', [record.source, record.externalId].filter((one) => one !== null).join(' / ')],
  ['Type', track.type],
  ['Filters', track.filters.map(({ type, name }) => `${type}: ${name}`).join(', ')],
  ['Length', trackLength(track.durationSeconds)],
  ['Released', track.releaseDate?.slice(0, 10)],
  ['Region', track.region],
  [
    'Audio',
    record.audioKey === null ? badge('none', 'bad') : copyable(record.audioKey, 'key of the audio'),
  ],
  ['Updated', time(record.updatedAt)],
])}
${card(state === 'taken_down' ? 'Restore' : 'Takedown', stateForms(session, record, report))}
${card('Edits', editForms(session, editable, edits))}
${card('Twins', twinTable(report))}
${card('What refers to it', holders(report.holders, now))}
${card('History', history(report))}
${card('Messages to webhooks about takedowns', webhookMessages(report))}
${card('Requests for its audio', audioRequests(report))}
${card('Reported use', reportedUse(report))}`;
}

/** Tracks of any state have a player, because the operator must hear what a letter names. */
function listen({ track, audioKey, artworkKey }: TrackRecord): Html | false {
  const to = `/tracks/${track.id}`;
  return (
    (audioKey !== null || artworkKey !== null) &&
    html`<div class="listen">${
      artworkKey !== null &&
      html`<img src="${to}/artwork" alt="Artwork of ${track.name}" width="160" height="160">`
    }${
      audioKey !== null &&
      html`<audio controls preload="none" src="${to}/audio" aria-label="${track.name}"></audio><a href="${to}/audio" download="${track.slug}.${extensionOf(audioKey)}">Download the audio</a>`
    }</div>`
  );
}

function stateForms(
  session: FormSession,
  { track, state }: TrackRecord,
  { holders: touched, twins }: TrackReport,
): Html {
  const to = `/tracks/${track.id}`;
  const fields = (
    given: FormValues,
  ) => html`${field('Reason', html`<input name="reason" maxlength="${MAX_REASON}" value="${given.text('reason', null)}">`, 'Kept in the log.')}
${field('Reference', html`<input name="reference" maxlength="${MAX_REFERENCE}" value="${given.text('reference', null)}">`, 'Such as the number of a letter.')}`;
  const { playlists, clients, collections, licenses } = touched;
  const count = (n: number, what: string) => `${n} ${what}${n === 1 ? '' : 's'}`;
  const sameIsrc = twins.filter(({ hasSameIsrc }) => hasSameIsrc).length;
  const takedown = form(
    session,
    `${to}/takedown`,
    (given) =>
      html`<p>${state === 'unavailable' && 'It is outside of its periods of availability, and comes back with the next one unless you take it down. '}Lists, search and URLs omit it within a second. This touches ${count(playlists.length, 'playlist')}, which ${count(clients.length, 'client')} can see, ${count(collections.length, 'collection')} and ${count(licenses.length, 'license')}, which stay valid.</p>${fields(given)}${sameIsrc > 0 && tick(given, 'allOfIsrc', `Also ${count(sameIsrc, 'other track')} with this ISRC`)}<button class="danger">Take down</button>`,
  );
  const restore = form(
    session,
    `${to}/restore`,
    (given) =>
      html`<p>It returns to its places in playlists and collections.</p>${fields(given)}<button class="primary">Restore</button>`,
  );
  switch (state) {
    case 'taken_down':
      return restore;
    case 'withdrawn':
      return html`${restore}${takedown}`;
    default:
      return takedown;
  }
}

function holders(
  { playlists, clients, collections, licenses, isTruncated }: TrackHolders,
  now: number,
): Html {
  if (playlists.length + collections.length + licenses.length === 0) {
    return html`<p class="empty">No playlist, collection or license contains it.</p>`;
  }
  const more = (count: number) =>
    count > SHOWN_HOLDERS && html`<p>and ${number(count - SHOWN_HOLDERS)} more</p>`;
  return html`${facts([
    [
      'Playlists',
      links(
        playlists.slice(0, SHOWN_HOLDERS).map(({ slug, name }) => [`/playlists/${slug}`, name]),
      ),
    ],
    [
      'Clients that see them',
      links(
        clients.slice(0, SHOWN_HOLDERS).map(({ clientId, name }) => [`/clients/${clientId}`, name]),
      ),
    ],
  ])}
${
  collections.length > 0 &&
  table(
    'Collections',
    'Collection | Mode | Client',
    collections
      .slice(0, SHOWN_HOLDERS)
      .map(({ name, mode, clientId, clientName }) => [
        name,
        mode,
        html`<a href="/clients/${clientId}">${clientName}</a>`,
      ]),
  )
}${more(collections.length)}
${
  licenses.length > 0 &&
  table(
    'Licenses',
    'License | State | Mode | Client | Starts | Ends',
    licenses
      .slice(0, SHOWN_HOLDERS)
      .map((license) => [
        html`<a href="/licenses/${license.number}">${license.number}</a>`,
        licenseState(license, now),
        license.mode,
        license.clientName ?? license.clientId,
        time(license.startsAt),
        time(license.endsAt),
      ]),
  )
}${more(licenses.length)}${isTruncated && html`<p>There are more: only the first thousand of each are read.</p>`}`;
}

function twinTable({ twins, hasMoreTwins }: TrackReport): Html {
  return html`${table(
    'Twins',
    'Name | Same | State | ISRC | Source | Slug',
    twins
      .slice(0, SHOWN_HOLDERS)
      .map(({ id, name, hasSameIsrc, state, isrc, source, slug }) => [
        html`<a href="/tracks/${id}">${name}</a>`,
        hasSameIsrc ? 'ISRC' : 'name, artist, length',
        badge(...STATES[state]),
        html`<code>${isrc}</code>`,
        source,
        slug,
      ]),
    'No other track seems to be the same recording.',
  )}${(hasMoreTwins || twins.length > SHOWN_HOLDERS) && html`<p>There are more: <code>stave tracks report</code> lists them.</p>`}`;
}

function links(all: readonly (readonly [to: string, name: string])[]): Html[] {
  return all.map(([to, name], i) => html`${i > 0 && ', '}<a href="${to}">${name}</a>`);
}

function history({ history: changes }: TrackReport): Html {
  return table(
    'History',
    '# | When | What | By | Reason | Reference',
    changes.map(({ seq, at, kind, changed, by, reason, reference }) => [
      seq,
      time(at),
      changed?.length ? `${kind} (${changed.join(', ')})` : kind,
      by,
      ...[whole(reason), reference],
    ]),
    'The log has no change of it.',
  );
}

function webhookMessages({ told: messages }: TrackReport): Html {
  return table(
    'Messages',
    'Change | Client | State | Ended',
    messages.map(({ change, clientName, clientId, delivery: { status, finishedAt } }) => [
      `${change.kind} #${change.seq}`,
      clientName ?? clientId,
      status,
      time(finishedAt),
    ]),
    'No webhook was told of a takedown or a restoration.',
  );
}

function audioRequests({ sent: media }: TrackReport): Html {
  return table(
    'Requests for its audio',
    'Client | Mode | Media | First | Last | # Requests',
    media.map(({ clientId, clientName, mode, kind, firstAt, lastAt, requests }) => [
      html`<a href="/clients/${clientId}">${clientName ?? clientId}</a>`,
      mode,
      kind,
      time(firstAt),
      time(lastAt),
      number(requests),
    ]),
    'No client has requested its audio, as far as that was counted.',
  );
}

function reportedUse({ usage: uses }: TrackReport): Html {
  return table(
    'Reported use',
    'Client | Mode | From | To | # Streams | # Downloads | # Syncs',
    uses.map(({ clientId, clientName, mode, firstDay, lastDay, ...counts }) => [
      html`<a href="/clients/${clientId}">${clientName ?? clientId}</a>`,
      mode,
      firstDay,
      lastDay,
      number(counts.streams),
      number(counts.downloads),
      number(counts.syncs),
    ]),
    'No client has reported use of it.',
  );
}
