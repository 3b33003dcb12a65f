import { type Command, InvalidArgumentError } from 'commander';
import type { Store } from '../../../features/store.ts';
import {
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryStatus,
  EVENT_TYPES,
  type WebhookRecord,
} from '../../../features/webhooks/webhook.ts';
import { type ClientNames, clientIdOf, clientNames } from '../../named.ts';
import { command, group, type Shell, withContext } from '../shell.ts';
import { moment, notEmpty, shownTime, withIsoTimes } from '../terminal/arguments.ts';
import { printText } from '../terminal/output.ts';
import { csvOf, facts, listOf } from '../terminal/table.ts';

const WEBHOOK = ['<id>', 'id of the webhook'] as const;
const PAGE = 1_000;
/** All pages have columns of the same width. */
const MAX_TYPE_LENGTH = Math.max(...EVENT_TYPES.map((type) => type.length));
const MAX_STATUS_LENGTH = Math.max(...DELIVERY_STATUSES.map((status) => status.length));

export const webhooksCommand = group('webhooks', 'Show and control the webhooks of clients', [
  (shell) =>
    command(shell, 'list', 'List webhooks, newest first', {
      hasTable: true,
      examples: [['stave webhooks list --client 0b6c…', 'those of one client, in both modes']],
    })
      .option('-c, --client <client>', 'id or name of a client; default: all clients', notEmpty)
      .prints(
        async ({ store }, { client }: { client?: string }) => {
          const clientId = client && (await clientIdOf(store, client));
          return {
            records: await store.webhooks.records(clientId),
            names: await clientNames(store),
          };
        },
        ({ records, names }) =>
          listOf(records, 'no webhooks', {
            ID: 'id',
            CLIENT: ({ clientId }) => names.label(clientId),
            ...{ MODE: 'mode', STATE: stateOf, URL: 'url' },
          }),
        ({ records, names }) => records.map((record) => forScripts(record, names)),
      ),
  (shell) =>
    command(shell, 'show', 'Show a webhook', {
      examples: [['stave webhooks show 0193…', '`stave webhooks list` shows the ids']],
    })
      .argument(...WEBHOOK)
      .prints(
        async ({ store }, id: string) => ({
          record: await store.webhooks.record(id.toLowerCase()),
          names: await clientNames(store),
        }),
        ({ record, names }) =>
          facts([
            ['id', record.id],
            ['client', names.label(record.clientId)],
            ['client id', record.clientId],
            ['mode', record.mode],
            ['state', stateOf(record)],
            ['url', record.url],
            ['events', record.eventTypes.join(', ')],
            ['referenced only', record.referencedOnly ? 'yes' : 'no'],
            ['authorization', record.hasAuthorization ? 'yes' : 'no'],
            ['description', record.description],
            ['version', String(record.version)],
            ['created', shownTime(record.createdAt)],
            ['updated', shownTime(record.updatedAt)],
          ]),
        ({ record, names }) => forScripts(record, names),
      ),
  (shell) =>
    command(
      shell,
      'deliveries',
      'List the messages of the last 30 days to a webhook, newest first',
      {
        hasTable: true,
        examples: [
          ['stave webhooks deliveries 0193… --status failed', 'those that ran out of attempts'],
        ],
      },
    )
      .argument(...WEBHOOK)
      .option('-s, --status <status>', `one of ${DELIVERY_STATUSES.join(', ')}`, statusOf)
      .action(async (id: string, options: DeliveryOptions) => {
        await withContext(shell, ({ store }) => {
          const pages = deliveryPages(store, id.toLowerCase(), options.status);
          const text = options.json === true ? asJson(pages) : asTables(pages, options);
          return printText(text, shell);
        });
      }),
  (shell) => enableOrDisable(shell, 'disable'),
  (shell) => enableOrDisable(shell, 'enable'),
  (shell) =>
    command(shell, 'replay', 'Send the failed messages to a webhook again', {
      examples: [['stave webhooks replay 0193… --from 2026-11-20', 'those that failed since then']],
    })
      .argument(...WEBHOOK)
      .requiredOption('-f, --from <time>', 'when the first of them was created', moment('first'))
      .prints(
        ({ store }, id: string, { from }: { from: number }) => {
          const range = { from, status: 'failed' } as const;
          return store.webhookDeliveries.replayBetween(id.toLowerCase(), range, 'operator');
        },
        ({ count }) => `${count} messages are sent again`,
      ),
  (shell) =>
    command(shell, 'ping', 'Send a message without content to a webhook', {
      examples: [['stave webhooks ping 0193…', '`stave webhooks deliveries` shows the result']],
    })
      .argument(...WEBHOOK)
      .prints(
        ({ store }, id: string) => store.webhookDeliveries.ping(id.toLowerCase(), 'operator'),
        ({ deliveryId }) => `the delivery is ${deliveryId}`,
      ),
]);

interface DeliveryOptions {
  status?: DeliveryStatus;
  json?: boolean;
  csv?: boolean;
}

/** There may be a million deliveries. */
async function* deliveryPages(
  { webhookDeliveries }: Pick<Store, 'webhookDeliveries'>,
  id: string,
  status: DeliveryStatus | undefined,
): AsyncGenerator<Delivery[]> {
  let place: Delivery | undefined;
  for (;;) {
    const page = await webhookDeliveries.after(id, { status, place, limit: PAGE });
    if (page.length > 0) yield page;
    if (page.length < PAGE) return;
    place = page.at(-1);
  }
}

/** Yields the text of one JSON array. */
async function* asJson(pages: AsyncIterable<Delivery[]>): AsyncGenerator<string> {
  let before = '[';
  for await (const page of pages) {
    const items = page.map(({ nextAttemptAt, createdAt, finishedAt, ...delivery }) =>
      JSON.stringify(withIsoTimes({ ...delivery, nextAttemptAt, createdAt, finishedAt })),
    );
    yield before + items.join(',');
    before = ',';
  }
  yield before === '[' ? '[]\n' : ']\n';
}

/** Yields the pages as tables with equal columns, the first one with a heading. */
async function* asTables(
  pages: AsyncIterable<Delivery[]>,
  { csv = false }: DeliveryOptions,
): AsyncGenerator<string> {
  const tableOf = (page: readonly Delivery[]) =>
    listOf(page, 'no deliveries', {
      ID: 'id',
      TYPE: ({ type }) => (csv ? type : type.padEnd(MAX_TYPE_LENGTH)),
      STATUS: ({ status }) => (csv ? status : status.padEnd(MAX_STATUS_LENGTH)),
      ...{ ATTEMPTS: 'attemptCount', CREATED: 'createdAt', 'NEXT ATTEMPT': 'nextAttemptAt' },
    });
  const textOf = (page: readonly Delivery[]) =>
    csv ? csvOf(() => tableOf(page)) : `${tableOf(page)}\n`;
  let isFirst = true;
  for await (const page of pages) {
    const text = textOf(page);
    yield isFirst ? text : text.slice(text.indexOf('\n') + 1);
    isFirst = false;
  }
  if (isFirst) yield textOf([]);
}

function enableOrDisable(shell: Shell, name: 'enable' | 'disable'): Command {
  const enabled = name === 'enable';
  const summary = enabled
    ? 'Enable a webhook; it gets what changes from now on'
    : 'Disable a webhook and discard its pending messages';
  const meaning = enabled ? 'whoever disabled it' : 'its client cannot enable it again';
  return command(shell, name, summary, { examples: [[`stave webhooks ${name} 0193…`, meaning]] })
    .argument(...WEBHOOK)
    .prints(
      async ({ store, by }, given: string) => {
        const id = given.toLowerCase();
        return { id, enabled, changed: await store.webhooks.setEnabled(id, enabled, by) };
      },
      ({ id, changed }) => (changed ? `${name}d ${id}` : `${id} is ${name}d already`),
    );
}

function statusOf(text: string): DeliveryStatus {
  const status = DELIVERY_STATUSES.find((one) => one === text);
  if (status === undefined) {
    throw new InvalidArgumentError(`The statuses are ${DELIVERY_STATUSES.join(', ')}.`);
  }
  return status;
}

function stateOf({ enabled, disabledReason, isFailing }: WebhookRecord): string {
  if (enabled) return isFailing ? 'failing' : 'enabled';
  return disabledReason === null ? 'disabled' : `disabled (${disabledReason})`;
}

function forScripts(
  { createdAt, updatedAt, clientId, mode, ...webhook }: WebhookRecord,
  names: ClientNames,
) {
  const clientName = names.of(clientId);
  return withIsoTimes({ ...webhook, createdAt, updatedAt, clientId, clientName, mode });
}
