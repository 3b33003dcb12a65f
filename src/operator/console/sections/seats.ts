import { MODES, SEAT_ROLES } from '../../../common/caller.ts';
import { DAY_MS } from '../../../common/clock.ts';
import { counted } from '../../../common/text/shown.ts';
import type { SeatRecord } from '../../../features/access/seat.ts';
import { createSeat, linkSeat, type NewLink, updateSeat } from '../../../features/access/seats.ts';
import { type Html, html, number, time } from '../pages/html.ts';
import {
  action,
  type ConsoleRequest,
  type ConsoleRoute,
  done,
  edit,
  type FormSession,
  type FormValues,
} from '../pages/page.ts';
import { badge, button, copyable, field, form, maySend, select, table } from '../pages/parts.ts';
import type { Notice } from '../server/sessions.ts';

/** The forms of the seats on the page of a client. */
export const SEAT_ROUTES: readonly ConsoleRoute[] = [
  action('/clients/:id/seats', async (request) => {
    const { params, form: given, context } = request;
    const days = Number(given.get('days') ?? '');
    const seat = { ...termsOf(given), validMs: days * DAY_MS };
    const { link } = await createSeat(context, params.id!, seat);
    return { to: here(request), notice: linkNotice(link) };
  }),
  edit('/clients/:id/seats/:seat', async (request) => {
    const { params, form: given, context } = request;
    await updateSeat(context, params.seat!, termsOf(given));
    return done(here(request), 'The seat is changed. It takes effect within a second.');
  }),
  action('/clients/:id/seats/:seat/link', async (request) => {
    const link = await linkSeat(request.context, request.params.seat!);
    return { to: here(request), notice: linkNotice(link) };
  }),
  edit('/clients/:id/seats/:seat/enable', async (request) => {
    const { store, by } = request.context;
    await store.seats.setEnabled(request.params.seat!, true, by);
    return done(here(request), 'The seat is enabled. Make a link with which the person signs in.');
  }),
  action('/clients/:id/seats/:seat/disable', async (request) => {
    const { store, by } = request.context;
    await store.seats.setEnabled(request.params.seat!, false, by);
    return done(here(request), 'The seat is disabled. Its sessions, tokens and link have ended.');
  }),
  action('/clients/:id/seats/:seat/end-sessions', async (request) => {
    const { store, by } = request.context;
    const ended = await store.seats.endSessions(request.params.seat!, by);
    return done(here(request), `${counted(ended, 'session')} ended.`);
  }),
  action('/clients/:id/seats/:seat/remove', async (request) => {
    const { store, by } = request.context;
    await store.seats.remove(request.params.seat!, by);
    return done(here(request), 'The seat is removed. What it did keeps its name.');
  }),
];

export function seatTable(
  session: FormSession,
  clientId: string,
  seats: readonly SeatRecord[],
): Html {
  const to = `/clients/${clientId}/seats`;
  const rows = seats.map((seat) => [
    html`${seat.name}<br>${copyable(seat.id, 'seat id')}`,
    seat.role,
    seat.mode,
    seat.enabled ? badge('enabled', 'good') : badge('disabled', 'bad'),
    time(seat.lastUsedAt),
    number(seat.sessions),
    maySend(session, `${to}/${seat.id}`) &&
      html`<div class="actions">${buttons(session, `${to}/${seat.id}`, seat)}</div>
<details><summary>Change</summary>${form(
        session,
        `${to}/${seat.id}`,
        (given) => html`${termFields(given, seat)}<button>Save</button>`,
      )}</details>`,
  ]);
  return html`${table('Seats', 'Person | Role | Mode | State | Last used | # Sessions |', rows, 'It has no seat.')}
${form(
  session,
  to,
  (given) => html`${termFields(given)}
${field('Link valid for days', html`<input name="days" type="number" min="1" max="30" required value="${given.text('days', 7)}">`)}
<button>Add a seat</button>`,
)}`;
}

function buttons(session: FormSession, to: string, { name, enabled }: SeatRecord): Html[] {
  const remove = button(session, {
    ...{ to: `${to}/remove`, name: 'Remove', kind: 'danger' },
    confirms: `Remove ${name}? The sessions and the link end within a second.`,
  });
  if (!enabled) return [button(session, { to: `${to}/enable`, name: 'Enable' }), remove];
  return [
    button(session, { to: `${to}/link`, name: 'New link' }),
    button(session, {
      ...{ to: `${to}/end-sessions`, name: 'Sign out' },
      confirms: `Sign ${name} out of all browsers?`,
    }),
    button(session, {
      ...{ to: `${to}/disable`, name: 'Disable', kind: 'danger' },
      confirms: `Disable ${name}? The sessions and the link end within a second.`,
    }),
    remove,
  ];
}

/** @param seat undefined for a new one */
function termFields(given: FormValues, seat?: SeatRecord): Html {
  return html`${field('Name', html`<input name="name" required maxlength="80" autocomplete="off" value="${given.text('name', seat?.name ?? null)}">`, 'The person.')}
${field('Role', select('role', SEAT_ROLES, given.text('role', seat?.role ?? 'listener')), 'A buyer may license, a listener may not.')}
${field('Mode', select('mode', MODES, given.text('mode', seat?.mode ?? 'live')))}`;
}

function termsOf(given: URLSearchParams) {
  return {
    name: given.get('name') ?? '',
    role: SEAT_ROLES.find((one) => one === given.get('role')) ?? 'listener',
    mode: MODES.find((one) => one === given.get('mode')) ?? 'test',
  } as const;
}

function linkNotice({ url, isLocal, expiresAt }: NewLink): Notice {
  const content = html`<p>Send this link to the person now. It works once, until ${time(expiresAt)}. Stave stores only a hash, and no page shows it again.${isLocal && ' It leads to this machine only, because the address of the service is not known: set STAVE_PUBLIC_URL, and make a new one.'}</p><p>${copyable(url, 'link')}</p>`;
  return { kind: 'secret', content };
}

function here({ params }: ConsoleRequest): string {
  return `/clients/${params.id}`;
}
