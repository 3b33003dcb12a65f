import { MODES } from '../../../common/caller.ts';
import { DAY_MS } from '../../../common/clock.ts';
import { listClients } from '../../../features/access/clients.ts';
import { dateOf, totalsOf, type UsageGroup } from '../../../features/usage/usage.ts';
import { usageOfClients } from '../../../features/usage/usage-records.ts';
import { barChart } from '../pages/chart.ts';
import { duration, type Html, html, number } from '../pages/html.ts';
import { type ConsoleDependencies, type ConsoleRoute, page } from '../pages/page.ts';
import { card, field, heading, PAGE_ROWS, select, table, tile } from '../pages/parts.ts';

const DEFAULT_DAYS = 30;
/** More days than this are not drawn. */
const MAX_DAYS = 366;

/** What clients have reported. */
export const USAGE_ROUTES: readonly ConsoleRoute[] = [
  page('/usage', async ({ query, context }) => {
    const mode = MODES.find((one) => one === query.get('mode')) ?? 'live';
    const to = dayOf(query.get('to')) ?? Math.floor(context.clock.now() / DAY_MS);
    const from = Math.max(dayOf(query.get('from')) ?? to - DEFAULT_DAYS + 1, to - MAX_DAYS + 1);
    const clients = await listClients(context);
    const names = new Map(clients.map(({ id, name }) => [id, name]));
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
        select(
          'mode',
          MODES.map((one) => [one, one] as const),
          mode,
        ),
      )}<button class="primary">Show</button></form>
<div class="tiles">${tile('Streams', number(totals.streams))}${tile('Downloads', number(totals.downloads))}${tile('Syncs', number(totals.syncs))}${tile('Played', duration(totals.seconds))}</div>
${card('Reported uses a day', chart(days, { from, to }))}
${card(
  'Clients',
  table(
    'Clients',
    'Client | # Streams | # Downloads | # Syncs | # Played',
    uses
      .slice(0, PAGE_ROWS)
      .map(({ clientId: id, streams, downloads, syncs, seconds }) => [
        html`<a href="/clients/${id}">${names.get(id) ?? id}</a>`,
        number(streams),
        number(downloads),
        number(syncs),
        duration(seconds),
      ]),
    'Nothing was reported in these days.',
  ),
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

/** Returns a day since the epoch; undefined unless it is a date of four digits of years. */
function dayOf(text: string | null): number | undefined {
  if (text === null || !/^\d{4}-\d\d-\d\d$/.test(text)) return undefined;
  const at = Date.parse(text);
  return Number.isNaN(at) ? undefined : at / DAY_MS;
}
