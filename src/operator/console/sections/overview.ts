import type { AppContext } from '../../../app/open/context.ts';
import { shownBytes } from '../../../common/text/shown.ts';
import { readUses } from '../../../features/access/client-use.ts';
import { listClients } from '../../../features/access/clients.ts';
import type { WebhookRecord } from '../../../features/webhooks/webhook.ts';
import { checkSpace } from '../../doctor/check-machine.ts';
import type { Finding, Found } from '../../doctor/finding.ts';
import type { Job } from '../jobs/jobs.ts';
import { barChart, lineChart } from '../pages/chart.ts';
import { duration, type Html, html, number, percent } from '../pages/html.ts';
import { type ConsoleRoute, page } from '../pages/page.ts';
import { badge, card, heading, table, tile } from '../pages/parts.ts';
import { greatestOf, type Interval, type Reading, sumOf } from './metrics-history.ts';
import { monthForm } from './statements.ts';

const SHOWN_CLIENTS = 8;
/** The intervals that one bar of the charts sums up: a minute. */
const BAR_INTERVALS = 4;

export const OVERVIEW_ROUTES: readonly ConsoleRoute[] = [
  page('/', async (request) => {
    const { context, history, jobs } = request;
    const [reading, clients, webhooks, disk] = await Promise.all([
      history.now(),
      busiestClients(context),
      context.store.webhooks.records(),
      checkSpace(context.config),
    ]);
    const minutes = minutesOf(history.intervals());
    return {
      title: 'Overview',
      main: html`${heading('Overview')}
${tiles(reading, html`${diskTile(disk)}${webhookTile(webhooks)}${mediaTile(jobs.of('doctor'))}`)}
${charts(minutes)}
${card('Clients of the last hour', clients)}
${card('Statements of the clients', monthForm('/statements', request))}`,
    };
  }),
];

function tiles(reading: Reading, others: Html): Html {
  const requests = sumOf(reading, 'stave_http_requests_total');
  const failed = sumOf(
    reading,
    'stave_http_requests_total',
    ({ status = '' }) => status[0] === '5',
  );
  const limited = sumOf(reading, 'stave_http_rate_limited_total');
  const lag = greatestOf(reading, 'stave_change_log_lag') ?? 0;
  const feedLag = greatestOf(reading, 'stave_changes_feed_lag_seconds') ?? 0;
  const uptime = greatestOf(reading, 'process_uptime_seconds') ?? 0;
  const memory = greatestOf(reading, 'process_resident_memory_bytes') ?? 0;
  return html`<div class="tiles">
${tile('Live tracks', number(greatestOf(reading, 'stave_tracks') ?? 0), html`<a href="/tracks">Find tracks</a>`)}
${tile('Requests', number(requests), `in ${duration(uptime)}`)}
${tile('Server errors', number(failed), failed === 0 ? badge('none', 'good') : badge(percent(failed, requests), 'bad'))}
${tile('Refused by limits', number(limited), limited === 0 ? badge('none', 'good') : badge(percent(limited, requests), 'warn'))}
${tile('Index lag', number(lag), lag === 0 ? badge('up to date', 'good') : badge('changes to take in', 'warn'))}
${tile('Feed lag', duration(feedLag), feedLag < 5 ? badge('up to date', 'good') : badge('behind', 'warn'))}
${tile('Memory', `${Math.round(memory / 1e6)} MB`, `${number(greatestOf(reading, 'stave_http_in_flight') ?? 0)} open requests`)}
${others}</div>`;
}

function diskTile({ status, detail }: Found): Html {
  const megabytes = Number.parseInt(detail, 10);
  const isEnough = status === 'ok';
  return tile(
    'Free disk',
    shownBytes(megabytes * 1e6),
    badge(isEnough ? 'enough' : 'too little', isEnough ? 'good' : 'bad'),
  );
}

function webhookTile(all: readonly WebhookRecord[]): Html {
  const failing = all.filter(({ isFailing }) => isFailing).length;
  const more = failing === 0 ? badge('none', 'good') : badge(`of ${number(all.length)}`, 'bad');
  return tile('Failing webhooks', number(failing), html`<a href="/webhooks">${more}</a>`);
}

/** Shows what the last run of the doctor found about media. It reads their names, so a page does not start it. */
function mediaTile(runs: readonly Job[]): Html {
  const found = runs
    .flatMap(({ result }) => (result ?? []) as Finding[])
    .find(({ check }) => check === 'media');
  if (found === undefined) return tile('Media', '–', html`<a href="/doctor">Check them</a>`);
  const isGood = found.status === 'ok';
  return tile(
    'Media',
    badge(isGood ? 'complete' : 'look at it', isGood ? 'good' : 'bad'),
    html`<a href="/doctor">${found.detail}</a>`,
  );
}

function minutesOf(intervals: readonly Interval[]): (Interval & { label: string })[] {
  const minutes: (Interval & { label: string })[] = [];
  for (let end = intervals.length; end > 0; end -= BAR_INTERVALS) {
    const some = intervals.slice(Math.max(0, end - BAR_INTERVALS), end);
    const sum = (of: (one: Interval) => number) => some.reduce((all, one) => all + of(one), 0);
    const { at } = some.at(-1)!;
    minutes.unshift({
      at,
      label: new Date(at).toISOString().slice(11, 16),
      seconds: sum((one) => one.seconds),
      requests: sum((one) => one.requests),
      refused: sum((one) => one.refused),
      limited: sum((one) => one.limited),
      failed: sum((one) => one.failed),
      median: Math.max(...some.map((one) => one.median)),
      slowest5Percent: Math.max(...some.map((one) => one.slowest5Percent)),
    });
  }
  return minutes;
}

function charts(minutes: readonly (Interval & { label: string })[]): Html {
  if (minutes.length === 0) {
    return html`<p class="empty">Charts of the last hour begin in some seconds: load the page again.</p>`;
  }
  const labels = minutes.map(({ label }) => label);
  const values = (of: (one: Interval) => number) => minutes.map(of);
  return html`<div class="pair">${card(
    'Requests a minute',
    barChart({
      title: 'Requests a minute of the last hour, in UTC',
      labels,
      series: [
        {
          name: 'answered',
          color: 1,
          values: values(
            ({ requests, refused, limited, failed }) => requests - refused - limited - failed,
          ),
        },
        { name: 'refused (4xx)', color: 2, values: values(({ refused }) => refused) },
        { name: 'limited (429)', color: 3, values: values(({ limited }) => limited) },
        { name: 'failed (5xx)', color: 4, values: values(({ failed }) => failed) },
      ],
    }),
  )}${card(
    'Latency',
    lineChart({
      title: 'Time to respond in the last hour, at most',
      labels,
      format: duration,
      series: [
        { name: 'half of the requests', color: 1, values: values(({ median }) => median) },
        { name: '95% of them', color: 3, values: values(({ slowest5Percent }) => slowest5Percent) },
      ],
    }),
  )}</div>`;
}

async function busiestClients(context: AppContext): Promise<Html> {
  const [clients, uses] = await Promise.all([listClients(context), readUses(context)]);
  const busiest = clients
    .map((client) => ({ client, ...uses.ofClient(client.id) }))
    .filter(({ lastHour }) => lastHour.requests > 0)
    .sort((a, b) => b.lastHour.requests - a.lastHour.requests)
    .slice(0, SHOWN_CLIENTS);
  return table(
    'Clients of the last hour',
    'Client | # Requests | # Of them 429',
    busiest.map(({ client, lastHour: { requests, limited } }) => [
      html`<a href="/clients/${client.id}">${client.name}</a>`,
      number(requests),
      limited === 0 ? '0' : badge(number(limited), 'warn'),
    ]),
    'No client has made a request in the last hour.',
  );
}
