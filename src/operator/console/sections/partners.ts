import { MODES } from '../../../common/caller.ts';
import { DAY_MS } from '../../../common/clock.ts';
import { listClients } from '../../../features/access/clients.ts';
import { dateOf, totalsOf, type UsageGroup } from '../../../features/usage/usage.ts';
import { usageOfClients } from '../../../features/usage/usage-records.ts';
import {
  DELIVERY_STATUSES,
  type DeliveryStatus,
  type WebhookRecord,
} from '../../../features/webhooks/webhook.ts';
import { clientNames } from '../../named.ts';
import { barChart } from '../pages/chart.ts';
import { duration, type Html, html, number, prettyJson, time } from '../pages/html.ts';
import {
  action,
  type ConsoleDependencies,
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
  clientLink,
  copyable,
  facts,
  field,
  heading,
  PAGE_ROWS,
  pageOf,
  pager,
  select,
  sliceOf,
  type Tone,
  table,
  tableCard,
  tile,
} from '../pages/parts.ts';

const TONES: Readonly<Record<DeliveryStatus, Tone>> = {
  pending: 'warn',
  delivered: 'good',
  failed: 'bad',
  discarded: 'plain',
};
const DELIVERIES_KEPT_MS = 30 * DAY_MS;

export const WEBHOOK_ROUTES: readonly ConsoleRoute[] = [
  page('/webhooks', async ({ query, context: { store } }) => {
    const all = await store.webhooks.records();
    // Those that fail come first, and of the same state the newest.
    all.sort((a, b) => Number(b.isFailing) - Number(a.isFailing));
    const shown = sliceOf(all, query);
    const names = await clientNames(store);
    return {
      title: 'Webhooks',
      main: html`${heading('Webhooks')}${table(
        'Webhooks',
        'URL | Client | Mode | State | Events | Created',
        shown.rows.map((record) => [
          html`<a href="/webhooks/${record.id}">${record.url}</a>`,
          clientLink(record.clientId, names),
          record.mode,
          webhookState(record),
          record.eventTypes.join(', '),
          time(record.createdAt),
        ]),
        'No client has a webhook.',
      )}${pager('/webhooks', query, shown)}`,
    };
  }),
  page('/webhooks/:id', async ({ params, query, session, context: { store } }) => {
    const record = await store.webhooks.record(params.id!.toLowerCase());
    const status = DELIVERY_STATUSES.find((one) => one === query.get('status'));
    const names = await clientNames(store);
    const at = pageOf(query);
    const slice = { status, offset: (at - 1) * PAGE_ROWS, limit: PAGE_ROWS };
    const { deliveries, total } = await store.webhookDeliveries.list(record.id, 'operator', slice);
    const to = `/webhooks/${record.id}`;
    return {
      title: record.url,
      main: html`${heading(html`${record.url} ${webhookState(record)}`, buttons(session, record))}
${facts([
  ['URL', copyable(record.url, 'URL')],
  ['Id', copyable(record.id, 'id')],
  ['Client', clientLink(record.clientId, names)],
  ['Client id', copyable(record.clientId, 'client id')],
  ['Mode', record.mode],
  ['Events', record.eventTypes.join(', ')],
  ['Referenced tracks only', record.referencedOnly ? 'yes' : 'no'],
  ['Authorization header', record.hasAuthorization ? 'yes' : 'no'],
  ['Description', record.description],
])}
${card(
  `Messages of the last 30 days (${number(total)})`,
  html`<form method="get" action="${to}" class="inline search">${field('State', select('status', [['', 'any'], ...DELIVERY_STATUSES], status))}<button>Show</button></form>
${table(
  'Messages',
  'Created | Type | State | # Attempts | Next attempt | Ended',
  deliveries.map((one) => [
    html`<a href="${to}/deliveries/${one.id}">${time(one.createdAt)}</a>`,
    one.type,
    badge(one.status, TONES[one.status]),
    number(one.attemptCount),
    one.nextAttemptAt === null ? '' : time(one.nextAttemptAt),
    one.finishedAt === null ? '' : time(one.finishedAt),
  ]),
)}${pager(to, query, { page: at, hasMore: total > at * PAGE_ROWS })}`,
)}`,
    };
  }),
  page('/webhooks/:id/deliveries/:delivery', async ({ params, session, context: { store } }) => {
    const { id, delivery } = params;
    const found = await store.webhookDeliveries.find(id!, delivery!, 'operator');
    const to = `/webhooks/${id}/deliveries/${found.id}`;
    return {
      title: found.type,
      main: html`${heading(html`${found.type} ${badge(found.status, TONES[found.status])}`, found.status !== 'pending' && button(session, { to: `${to}/replay`, name: 'Send again' }))}
${tableCard(
  'Attempts',
  '# | When | # ms | Status | Error | Response',
  found.attempts.map((one) => [
    one.attempt,
    time(one.at),
    number(one.durationMs),
    one.httpStatus,
    one.error,
    html`<code>${one.response}</code>`,
  ]),
)}
${card('Message', html`<pre><code>${prettyJson(found.payload)}</code></pre>`)}`,
    };
  }),
  action('/webhooks/:id/deliveries/:delivery/replay', async ({ params, context: { store } }) => {
    const { id, delivery } = params;
    await store.webhookDeliveries.replay(id!, delivery!, 'operator');
    return done(`/webhooks/${id}`, 'The message is sent again.');
  }),
  action('/webhooks/:id/replay', async ({ params, context: { store, clock } }) => {
    const range = { from: clock.now() - DELIVERIES_KEPT_MS, status: 'failed' } as const;
    const { count } = await store.webhookDeliveries.replayBetween(params.id!, range, 'operator');
    return done(`/webhooks/${params.id}`, `${count} failed messages are sent again.`);
  }),
  action('/webhooks/:id/ping', async ({ params, context: { store } }) => {
    const { deliveryId } = await store.webhookDeliveries.ping(params.id!, 'operator');
    return done(`/webhooks/${params.id}/deliveries/${deliveryId}`, 'The ping is on its way.');
  }),
  edit('/webhooks/:id/enable', async ({ params, context }) => {
    await context.store.webhooks.setEnabled(params.id!, true, context.by);
    return done(`/webhooks/${params.id}`, 'The webhook is enabled.');
  }),
  action('/webhooks/:id/disable', async ({ params, context: { store, by } }) => {
    await store.webhooks.setEnabled(params.id!, false, by);
    return done(`/webhooks/${params.id}`, 'The webhook is disabled.');
  }),
];

function buttons(session: FormSession, { id, enabled }: WebhookRecord): Html {
  const to = `/webhooks/${id}`;
  if (!enabled) return button(session, { to: `${to}/enable`, name: 'Enable', kind: 'primary' });
  return html`${button(session, { to: `${to}/ping`, name: 'Ping' })}${button(session, { to: `${to}/replay`, name: 'Send failed ones again' })}${button(
    session,
    {
      ...{ to: `${to}/disable`, name: 'Disable', kind: 'danger' },
      confirms: 'Disable this webhook and discard its pending messages?',
    },
  )}`;
}

export function webhookState({ enabled, disabledReason, isFailing }: WebhookRecord): Html {
  if (enabled) return isFailing ? badge('failing', 'bad') : badge('enabled', 'good');
  return badge(disabledReason === null ? 'disabled' : `disabled: ${disabledReason}`, 'bad');
}

const DEFAULT_DAYS = 30;
/** The most days that the chart shows. */
const MAX_DAYS = 366;

export const USAGE_ROUTES: readonly ConsoleRoute[] = [
  page('/usage', async ({ query, context }) => {
    const mode = MODES.find((one) => one === query.get('mode')) ?? 'live';
    const to = dayOf(query.get('to')) ?? Math.floor(context.clock.now() / DAY_MS);
    const from = Math.max(dayOf(query.get('from')) ?? to - DEFAULT_DAYS + 1, to - MAX_DAYS + 1);
    const clients = await listClients(context);
    const names = await clientNames(context.store);
    const clientId = query.get('client') || undefined;
    const range = { from, to, mode, clientId };
    const sources = await context.store.usageRecords.sources(range);
    const uses = await usageOfClients(context.store, sources, range);
    const totals = totalsOf(uses);
    const days = await daysOf(
      context.store,
      uses.map(({ clientId: id }) => id),
      range,
    );
    return {
      title: 'Usage',
      main: html`${heading('Usage')}
<form method="get" action="/usage" class="inline search">${field('From', html`<input type="date" name="from" value="${dateOf(from)}">`)}${field('To', html`<input type="date" name="to" value="${dateOf(to)}">`)}${field('Client', select('client', [['', 'all'], ...clients.map(({ id, name }) => [id, name] as const)], clientId))}${field(
        'Mode',
        select('mode', MODES, mode),
      )}<button class="primary">Show</button></form>
<div class="tiles">${tile('Streams', number(totals.streams))}${tile('Downloads', number(totals.downloads))}${tile('Syncs', number(totals.syncs))}${tile('Played', duration(totals.seconds))}</div>
${card('Reported uses a day', chart(days, { from, to }))}
${tableCard(
  'Clients',
  'Client | # Streams | # Downloads | # Syncs | # Played',
  uses
    .slice(0, PAGE_ROWS)
    .map(({ clientId: id, streams, downloads, syncs, seconds }) => [
      clientLink(id, names),
      number(streams),
      number(downloads),
      number(syncs),
      duration(seconds),
    ]),
  'Nothing was reported in these days.',
)}`,
    };
  }),
];

async function daysOf(
  { usage }: ConsoleDependencies['context']['store'],
  clientIds: readonly string[],
  { from, to, mode }: { from: number; to: number; mode: (typeof MODES)[number] },
): Promise<Map<string, UsageGroup[]>> {
  const groups: UsageGroup[] = [];
  for (const clientId of clientIds) {
    const summary = await usage.summary({ clientId, mode, from, to, groupBy: 'day' });
    groups.push(...summary.groups);
  }
  return Map.groupBy(groups, ({ key }) => key);
}

function chart(days: Map<string, UsageGroup[]>, { from, to }: { from: number; to: number }): Html {
  const labels = Array.from({ length: to - from + 1 }, (_, i) => dateOf(from + i));
  const values = (of: (group: UsageGroup) => number) =>
    labels.map((day) => (days.get(day) ?? []).reduce((sum, group) => sum + of(group), 0));
  return barChart({
    title: 'Reported uses a day, in UTC',
    isWide: true,
    labels,
    series: [
      { name: 'streams', color: 1, values: values(({ streams }) => streams) },
      { name: 'downloads', color: 3, values: values(({ downloads }) => downloads) },
      { name: 'syncs', color: 2, values: values(({ syncs }) => syncs) },
    ],
  });
}

/** Returns the number of a day since the epoch; undefined unless the text is a date such as 2026-11-29. */
function dayOf(text: string | null): number | undefined {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at / DAY_MS;
}
