import { DEFAULT_RATE_LIMIT } from '../../../features/access/client.ts';
import { readUses } from '../../../features/access/client-use.ts';
import { createClient, listClients } from '../../../features/access/clients.ts';
import { number, time } from '../pages/format.ts';
import { type Html, html } from '../pages/html.ts';
import { action, type ConsoleRequest, type ConsoleRoute, page } from '../pages/page.ts';
import { badge, card, form, heading, pageOf, pager, sliceOf, table, tick } from '../pages/parts.ts';
import type { ConsoleDependencies } from '../server/dependencies.ts';
import type { Notice } from '../server/sessions.ts';
import { termFields, termsOf } from './client-form.ts';

/** The list of clients, and the form of a new one. */
export function clientListRoutes({ context }: ConsoleDependencies): ConsoleRoute[] {
  return [
    page('/clients', async ({ query }) => {
      const [all, uses] = await Promise.all([listClients(context), readUses(context)]);
      const at = pageOf(query);
      const { rows, hasMore } = sliceOf(all.toReversed(), at);
      const list = table(
        'Clients',
        [
          'Name',
          'State',
          { title: 'Limit', isNumber: true },
          { title: 'Last hour', isNumber: true },
          { title: '429', isNumber: true },
          { title: 'Last day', isNumber: true },
          { title: '429', isNumber: true },
          'Last used',
          'Created',
        ],
        rows.map((client) => {
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
        main: html`${heading('Clients', html`<a class="button primary" href="/clients/new">New client</a>`)}${list}${pager('/clients', query, { page: at, hasMore })}`,
      };
    }),
    page('/clients/new', ({ session }) => ({
      title: 'New client',
      main: html`${heading('New client')}${card(
        'What it may do',
        form(
          session,
          '/clients/new',
          (given) => html`${termFields(given)}
${tick(given, 'allowDuplicate', 'Another client may have the same name')}
<button class="primary">Create client</button>`,
        ),
      )}`,
    })),
    action('/clients/new', (request) => create(context, request)),
  ];
}

async function create(context: ConsoleDependencies['context'], { form: given }: ConsoleRequest) {
  const terms = termsOf(given);
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

/** Returns what shows secrets once. */
export function secretsNotice(pairs: readonly (readonly [name: string, value: string])[]): Notice {
  const content = html`<p>Copy it now. Stave stores only a hash, and no page shows it again.</p><dl class="facts">${pairs.map(
    ([name, value]) => html`<div><dt>${name}</dt><dd><code>${value}</code></dd></div>`,
  )}</dl>`;
  return { kind: 'secret', content };
}

function limitedCell(limited: number): Html | string {
  return limited === 0 ? '0' : badge(number(limited), 'warn');
}
