import { MODES, type Mode } from '../../../common/caller/scopes.ts';
import { readUses, type Uses } from '../../../features/access/client-use.ts';
import {
  type ClientRecord,
  disableClient,
  enableClient,
  revokeSecret,
  rotateSecret,
  showClient,
  updateClient,
} from '../../../features/access/clients.ts';
import { type LimitUse, readLimitUse } from '../../../features/access/limit-use.ts';
import { barChart } from '../pages/chart.ts';
import { edit } from '../pages/edit.ts';
import { number, percent, time } from '../pages/format.ts';
import type { FormSession } from '../pages/forms.ts';
import { type Html, html } from '../pages/html.ts';
import { action, type ConsoleRequest, type ConsoleRoute, done, page } from '../pages/page.ts';
import { badge, button, card, facts, form, heading, table } from '../pages/parts.ts';
import type { ConsoleDependencies } from '../server/dependencies.ts';
import { termFields, termsOf } from './client-form.ts';
import { secretsNotice } from './client-list.ts';

/** The page of one client, and what can be changed of it. */
export function clientPageRoutes({ context }: ConsoleDependencies): ConsoleRoute[] {
  const here = ({ params }: ConsoleRequest) => `/clients/${params.id}`;
  return [
    page('/clients/:id', async ({ params, session }) => {
      const client = await showClient(context, params.id!);
      const uses = await readUses(context, client.id);
      const use = await readLimitUse(context, client);
      return { title: client.name, main: clientPage(session, { client, uses, use }) };
    }),
    edit(context, '/clients/:id', async (request, shown) => {
      const { params, form: given } = request;
      await updateClient(shown, params.id!, termsOf(given));
      return done(here(request), 'The client is changed. It takes effect within a second.');
    }),
    edit(context, '/clients/:id/enable', async (request, shown) => {
      await enableClient(shown, request.params.id!);
      return done(here(request), 'The client is enabled. Its secrets work again.');
    }),
    action('/clients/:id/disable', async (request) => {
      await disableClient(context, request.params.id!);
      return done(
        here(request),
        'The client is disabled. Its tokens and URLs end within a second.',
      );
    }),
    edit(context, '/clients/:id/secrets', async (request, shown) => {
      const mode = MODES.find((one) => one === request.form.get('mode')) ?? 'test';
      const { secretId, secret } = await rotateSecret(shown, request.params.id!, mode);
      const notice = secretsNotice([
        ['Secret id', secretId],
        [`New ${mode} secret`, secret],
      ]);
      return { to: here(request), notice };
    }),
    action('/clients/:id/secrets/:secret/revoke', async (request) => {
      const { id, secret } = request.params;
      await revokeSecret(context, id!, secret!);
      return done(here(request), 'The secret is revoked. Its tokens end within a second.');
    }),
  ];
}

function clientPage(
  session: FormSession,
  { client, uses, use }: { client: ClientRecord; uses: Uses; use: LimitUse },
): Html {
  const { lastHour, lastDay, lastUsedAt } = uses.ofClient(client.id);
  const to = `/clients/${client.id}`;
  return html`${heading(
    html`${client.name} ${client.enabled ? badge('enabled', 'good') : badge('disabled', 'bad')}`,
    client.enabled
      ? button(session, {
          ...{ to: `${to}/disable`, name: 'Disable', kind: 'danger' },
          confirms: `Disable ${client.name}? Its tokens and URLs end within a second.`,
        })
      : button(session, { to: `${to}/enable`, name: 'Enable', kind: 'primary' }),
  )}
${facts([
  ['Client id', html`<code>${client.id}</code>`],
  ['Created', time(client.createdAt)],
  ['Last used', time(lastUsedAt)],
  ['Last hour', `${number(lastHour.requests)} requests, ${number(lastHour.limited)} refused`],
  ['Last day', `${number(lastDay.requests)} requests, ${number(lastDay.limited)} refused`],
  [
    'Playlists',
    client.playlistIds.length === 0
      ? 'none'
      : html`<a href="/playlists">${client.playlistIds.length}</a>`,
  ],
])}
${card('Use of the limit', limitUse(use))}
${card('Secrets', secrets(session, client, uses))}
${card('What it may do', terms(session, client))}`;
}

function limitUse(use: LimitUse): Html {
  const most = Math.max(...use.steps.map(({ requests }) => requests));
  return html`${barChart({
    title: 'Requests in steps of five minutes, of the last day, in UTC',
    isWide: true,
    labels: use.steps.map(({ at }) => new Date(at).toISOString().slice(11, 16)),
    series: [
      {
        name: 'allowed',
        color: 1,
        values: use.steps.map(({ requests, limited }) => requests - limited),
      },
      { name: 'refused (429)', color: 4, values: use.steps.map(({ limited }) => limited) },
    ],
    // A limit far above all bars would flatten them.
    ...(most * 4 > use.limitOfStep && {
      mark: { name: `limit: ${number(use.limitOfStep)}`, value: use.limitOfStep },
    }),
  })}
<h3>Why does this client get 429?</h3>
${
  use.reasons.length === 0
    ? html`<p>It does not: no request was refused in the last day. Its busiest five minutes used ${percent(most, use.limitOfStep)} of its limit of ${number(use.limit)} a minute.</p>`
    : html`<ul>${use.reasons.map((reason) => html`<li>${reason}</li>`)}</ul>`
}`;
}

function secrets(session: FormSession, client: ClientRecord, uses: Uses): Html {
  const to = `/clients/${client.id}/secrets`;
  const rows = client.secrets.map(({ id, mode, createdAt, revokedAt }) => {
    const use = uses.ofSecret(id);
    return [
      html`<code>${id}</code>`,
      mode,
      time(createdAt),
      time(use.lastUsedAt),
      number(use.lastDay.requests),
      revokedAt === null ? badge('live', 'good') : html`${badge('revoked')} ${time(revokedAt)}`,
      revokedAt === null &&
        button(session, {
          ...{ to: `${to}/${id}/revoke`, name: 'Revoke', kind: 'danger' },
          confirms: 'Revoke this secret? Its tokens end within a second.',
        }),
    ];
  });
  const add = (mode: Mode) =>
    button(session, { to, name: `Add a ${mode} secret`, fields: { mode } });
  return html`${table(
    'Secrets',
    [
      'Secret id',
      'Mode',
      'Created',
      'Last used',
      { title: 'Last day', isNumber: true },
      'State',
      '',
    ],
    rows,
  )}<div class="actions">${MODES.map(add)}</div>`;
}

function terms(session: FormSession, client: ClientRecord): Html {
  return form(
    session,
    `/clients/${client.id}`,
    (given) => html`${termFields(given, client)}
<button class="primary">Save</button>`,
  );
}
