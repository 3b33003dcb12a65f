import { FEATURES, MODES, type Mode, SCOPES } from '../../../common/caller.ts';
import { type DayOfCalls, readDays } from '../../../features/access/call-report.ts';
import type { FailedRequest, SecretAddress } from '../../../features/access/calls.ts';
import {
  type ClientInput,
  DEFAULT_RATE_LIMIT,
  MAX_SPENDING_LIMIT,
  STANDARD_RATE_CARD,
} from '../../../features/access/client.ts';
import {
  type LimitUse,
  readLimitUse,
  readUses,
  type Uses,
} from '../../../features/access/client-use.ts';
import {
  type ClientRecord,
  createClient,
  listClients,
  rotateSecret,
  setClientEnabled,
  showClient,
  updateClient,
} from '../../../features/access/clients.ts';
import type { SeatRecord } from '../../../features/access/seat.ts';
import type { Playlist } from '../../../features/playlists/playlist.ts';
import { changeGrant } from '../../../features/playlists/playlists.ts';
import type { WebhookRecord } from '../../../features/webhooks/webhook.ts';
import { requireRateCard } from '../../named.ts';
import { barChart } from '../pages/chart.ts';
import { duration, type Html, html, number, percent, time } from '../pages/html.ts';
import {
  action,
  type ConsoleRequest,
  type ConsoleRoute,
  done,
  edit,
  type FormSession,
  type FormValues,
  page,
} from '../pages/page.ts';
import {
  allowMissing,
  badge,
  button,
  card,
  choices,
  copyable,
  facts,
  field,
  form,
  grantList,
  heading,
  linkButton,
  missingRuleOf,
  pager,
  picker,
  sliceOf,
  table,
  tableCard,
  tick,
  whole,
} from '../pages/parts.ts';
import type { Notice } from '../server/sessions.ts';
import { webhookState } from './partners.ts';
import { seatTable } from './seats.ts';
import { monthForm } from './statements.ts';

export const CLIENT_PAGE_ROUTES: readonly ConsoleRoute[] = [
  page('/clients/:id', async (request) => {
    const { params, session, context } = request;
    const client = await showClient(context, params.id!);
    const uses = await readUses(context, client.id);
    const use = await readLimitUse(context, client);
    const calls = {
      days: await readDays(context, client.id, SHOWN_DAYS),
      errors: await context.store.calls.errors({ clientId: client.id }),
      addresses: await context.store.calls.addresses(client.id),
    };
    const webhooks = await context.store.webhooks.records(client.id);
    const playlists = await context.store.playlists.names();
    const cards = await rateCardNames(context);
    const seats = await context.store.seats.records(client.id);
    const statement = monthForm(`/clients/${client.id}/statement`, request);
    const shown = { client, uses, use, calls, webhooks, seats, playlists, cards, statement };
    return { title: client.name, main: clientPage(session, shown) };
  }),
  edit('/clients/:id', async (request) => {
    const { params, form: given, context } = request;
    const terms = termsOf(given);
    const { rateCard } = await showClient(context, params.id!);
    const change = { before: rateCard, after: terms.rateCard };
    await requireRateCard(context.store, change, missingRuleOf(given));
    await updateClient(context, params.id!, terms);
    return done(here(request), 'The client is changed. It takes effect within a second.');
  }),
  edit('/clients/:id/enable', async (request) => {
    await setClientEnabled(request.context, request.params.id!, true);
    return done(here(request), 'The client is enabled. Its secrets work again.');
  }),
  action('/clients/:id/disable', async (request) => {
    await setClientEnabled(request.context, request.params.id!, false);
    return done(here(request), 'The client is disabled. Its tokens and URLs end within a second.');
  }),
  edit('/clients/:id/playlists', (request) => setGrant(request, 'grant')),
  action('/clients/:id/playlists/revoke', (request) => setGrant(request, 'revoke')),
  edit('/clients/:id/secrets', async (request) => {
    const mode = MODES.find((one) => one === request.form.get('mode')) ?? 'test';
    const { secretId, secret } = await rotateSecret(request.context, request.params.id!, mode);
    const notice = secretsNotice([
      ['Secret id', secretId],
      [`New ${mode} secret`, secret],
    ]);
    return { to: here(request), notice };
  }),
  action('/clients/:id/secrets/:secret/revoke', async (request) => {
    const { id, secret } = request.params;
    await request.context.store.clients.revokeSecret(id!, secret!, request.context.by);
    return done(here(request), 'The secret is revoked. Its tokens end within a second.');
  }),
];

async function setGrant(request: ConsoleRequest, change: 'grant' | 'revoke') {
  const { params, form: given, context } = request;
  const { playlist } = await changeGrant(context, change, given.get('playlist') ?? '', params.id!);
  const now = change === 'grant' ? 'sees' : 'no longer sees';
  return done(here(request), `The client ${now} ${playlist.name}.`);
}

function here({ params }: ConsoleRequest): string {
  return `/clients/${params.id}`;
}

interface Shown {
  client: ClientRecord;
  uses: Uses;
  use: LimitUse;
  calls: Calls;
  webhooks: readonly WebhookRecord[];
  seats: readonly SeatRecord[];
  /** All of the catalog. */
  playlists: readonly Pick<Playlist, 'id' | 'slug' | 'name'>[];
  cards: RateCardNames;
  /** The form that asks for its months. */
  statement: Html;
}

function clientPage(session: FormSession, shown: Shown): Html {
  const { client, uses, use, calls, webhooks, seats, statement } = shown;
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
  ['Client id', copyable(client.id, 'client id')],
  ['Created', time(client.createdAt)],
  ['Last used', time(lastUsedAt)],
  ['Last hour', `${number(lastHour.requests)} requests, ${number(lastHour.limited)} refused`],
  ['Last day', `${number(lastDay.requests)} requests, ${number(lastDay.limited)} refused`],
])}
${card('Use of the limit', limitUse(use))}
${callCards(calls)}
${tableCard(
  'Webhooks',
  'URL | Mode | State',
  webhooks.map((webhook) => [
    html`<a href="/webhooks/${webhook.id}">${webhook.url}</a>`,
    webhook.mode,
    webhookState(webhook),
  ]),
  'It has no webhook.',
)}
${card('Statement', statement)}
${card('Seats', seatTable(session, client.id, seats))}
${card('Secrets', secrets(session, client, uses))}
${card('Playlists that it sees', grants(session, shown))}
${card('What it may do', terms(session, shown))}`;
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

const SHOWN_DAYS = 31;
/** The latest ones. `stave clients show --json` has all. */
const SHOWN_ADDRESSES = 100;

interface Calls {
  days: readonly DayOfCalls[];
  errors: readonly FailedRequest[];
  addresses: readonly SecretAddress[];
}

function callCards({ days, errors, addresses }: Calls): Html {
  const ms = (time: number | null) => (time === null ? '' : duration(time / 1_000));
  return html`${tableCard(
    'Requests of the last month',
    'Day | # Requests | # Half within | # 95% within | Errors',
    days.map(({ day, requests, p50Ms, p95Ms, errors: ofDay }) => [
      ...[day, number(requests), ms(p50Ms), ms(p95Ms)],
      Object.entries(ofDay)
        .map(([type, count]) => `${number(count)} ${type}`)
        .join(', '),
    ]),
    'The client has sent no request.',
  )}
${tableCard(
  'Last errors',
  'When | Request | Path | Error | Problem | Secret | Address',
  errors.map((error) => [
    ...[time(error.at), html`<code>${error.requestId}</code>`],
    whole(`${error.method} ${error.path || error.operationId}`.trim()),
    `${error.status ?? 'aborted'} ${error.error}`,
    ...[whole(error.problem), error.secretId && html`<code>${error.secretId}</code>`, error.caller],
  ]),
  'No request of the last 30 days has failed.',
)}
${tableCard(
  'Addresses that use its secrets',
  'Address | # Requests | # Errors | First used | Last used | Secret',
  addresses
    .slice(0, SHOWN_ADDRESSES)
    .map(({ secretId, address, requests, errors, firstAt, lastAt }) => [
      ...[address, number(requests), number(errors), time(firstAt), time(lastAt)],
      html`<code>${secretId}</code>`,
    ]),
  'No secret was used.',
)}`;
}

function secrets(session: FormSession, client: ClientRecord, uses: Uses): Html {
  const to = `/clients/${client.id}/secrets`;
  const rows = client.secrets.map(({ id, mode, createdAt, revokedAt }) => {
    const use = uses.ofSecret(id);
    return [
      copyable(id, 'secret id'),
      mode,
      time(createdAt),
      time(use.lastUsedAt),
      number(use.lastDay.requests),
      revokedAt === null ? badge('valid', 'good') : html`${badge('revoked')} ${time(revokedAt)}`,
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
    'Secret id | Mode | Created | Last used | # Last day | State |',
    rows,
  )}<div class="actions">${MODES.map(add)}</div>`;
}

function grants(session: FormSession, { client, playlists }: Shown): Html {
  const to = `/clients/${client.id}/playlists`;
  const isGranted = ({ id }: { id: string }) => client.playlistIds.includes(id);
  return grantList(session, {
    ...{ to, revokeTo: `${to}/revoke`, name: 'playlist', empty: 'It sees no playlist.' },
    granted: playlists
      .filter(isGranted)
      .map(({ id, name }) => ({ id, name, to: `/playlists/${id}` })),
    others: playlists.filter((one) => !isGranted(one)).map(({ slug, name }) => [slug, name]),
  });
}

/** The names of the cards in force, as a picker takes them. */
type RateCardNames = readonly (readonly [value: string, label: string])[];

async function rateCardNames({ store }: ConsoleRequest['context']): Promise<RateCardNames> {
  const inForce = (await store.rateCards.list()).filter(({ isInForce }) => isInForce);
  return inForce.map(({ name, version }) => [name, `${name}@${version}`]);
}

function terms(session: FormSession, { client, cards }: Shown): Html {
  return form(
    session,
    `/clients/${client.id}`,
    (given) => html`${termFields(given, cards, client)}
<button class="primary">Save</button>`,
    { isShown: true },
  );
}

export const CLIENT_LIST_ROUTES: readonly ConsoleRoute[] = [
  page('/clients', async ({ query, context, session }) => {
    const [all, uses] = await Promise.all([listClients(context), readUses(context)]);
    const shown = sliceOf(all.toReversed(), query);
    const list = table(
      'Clients',
      'Name | State | # Limit | # Last hour | # 429 | # Last day | # 429 | Last used | Created',
      shown.rows.map((client) => {
        const { lastHour, lastDay, lastUsedAt } = uses.ofClient(client.id);
        return [
          html`<a href="/clients/${client.id}">${client.name}</a>`,
          client.enabled ? badge('enabled', 'good') : badge('disabled', 'bad'),
          number(client.rateLimit ?? DEFAULT_RATE_LIMIT),
          number(lastHour.requests),
          limitedCell(lastHour.limited),
          number(lastDay.requests),
          limitedCell(lastDay.limited),
          time(lastUsedAt),
          time(client.createdAt),
        ];
      }),
      'There is no client yet.',
    );
    return {
      title: 'Clients',
      main: html`${heading('Clients', linkButton(session, '/clients/new', 'New client'))}${list}${pager('/clients', query, shown)}`,
    };
  }),
  page('/clients/new', async ({ session, context }) => {
    const cards = await rateCardNames(context);
    return {
      title: 'New client',
      main: html`${heading('New client')}${card(
        'What it may do',
        form(
          session,
          '/clients/new',
          (given) => html`${termFields(given, cards)}
${tick(given, 'allowDuplicate', 'Another client may have the same name')}
<button class="primary">Create client</button>`,
        ),
      )}`,
    };
  }),
  action('/clients/new', create),
];

async function create({ context, form: given }: ConsoleRequest) {
  const terms = termsOf(given);
  const change = { before: null, after: terms.rateCard };
  await requireRateCard(context.store, change, missingRuleOf(given));
  const input = { ...terms, name: terms.name ?? '', scopes: terms.scopes ?? [] };
  const isNewName = given.get('allowDuplicate') !== 'yes';
  const { clientId, testSecret, liveSecret } = await createClient(context, input, { isNewName });
  return {
    to: `/clients/${clientId}`,
    notice: secretsNotice([
      ['Client id', clientId],
      ['Test secret', testSecret],
      ['Live secret', liveSecret],
    ]),
  };
}

function secretsNotice(pairs: readonly (readonly [name: string, value: string])[]): Notice {
  const content = html`<p>Copy it now. Stave stores only a hash, and no page shows it again.</p><dl class="facts">${pairs.map(
    ([name, value]) =>
      html`<div><dt>${name}</dt><dd>${copyable(value, name.toLowerCase())}</dd></div>`,
  )}</dl>`;
  return { kind: 'secret', content };
}

function limitedCell(limited: number): Html | string {
  return limited === 0 ? '0' : badge(number(limited), 'warn');
}

/** @param client undefined for a new one */
function termFields(given: FormValues, cards: RateCardNames, client?: ClientRecord): Html {
  const text = (name: 'name' | 'account' | 'rateLimit' | 'spendingLimit') =>
    given.text(name, client?.[name] ?? null);
  return html`${field('Name', html`<input name="name" required maxlength="200" autocomplete="off" value="${text('name')}">`, 'The partner or the program.')}
${choices('Scopes', 'scopes', SCOPES, given.all('scopes', client?.scopes ?? ['tracks', 'search', 'filters']))}
${choices('Contract features', 'features', FEATURES, given.all('features', client?.features))}
${field('Requests a minute', html`<input name="rateLimit" type="number" min="1" max="1000000" placeholder="${DEFAULT_RATE_LIMIT}" value="${text('rateLimit')}">`, 'Empty for the default.')}
${field('Account', html`<input name="account" maxlength="200" autocomplete="off" value="${text('account')}">`, 'Clients of one account share collections. Empty for its own.')}
${field('Rate card', picker('rateCard', cards, { value: given.text('rateCard', client?.rateCard ?? null), attributes: html`maxlength="100" placeholder="${STANDARD_RATE_CARD}"` }))}
${field('Spending limit', html`<input name="spendingLimit" type="number" min="0" max="${MAX_SPENDING_LIMIT}" value="${text('spendingLimit')}">`, 'What its licenses may cost in a month (UTC), in whole units of the currency of its rate card. Empty for no limit.')}
${allowMissing(given, 'The rate card')}`;
}

/** Empty fields stand for the default. */
export function termsOf(form: URLSearchParams): ClientInput {
  const text = (name: string) => form.get(name)?.trim() ?? '';
  const limit = text('rateLimit');
  const spending = text('spendingLimit');
  return {
    name: text('name'),
    scopes: form.getAll('scopes'),
    features: form.getAll('features'),
    rateLimit: limit === '' ? null : Number(limit),
    account: text('account') === '' ? null : text('account'),
    rateCard: text('rateCard') || STANDARD_RATE_CARD,
    spendingLimit: spending === '' ? null : Number(spending),
  };
}
