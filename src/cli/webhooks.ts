import { type Command, InvalidArgumentError } from 'commander';
import {
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryStatus,
  type WebhookRecord,
} from '../changes/webhooks/webhook.ts';
import { isoTime, moment, shownTime } from './arguments.ts';
import { command, group, outputOf, type Shell, withContext } from './shell.ts';
import { facts, printable, table } from './table.ts';

const WEBHOOK = ['<id>', 'id of the webhook'] as const;
/** The deliveries that are read at once. */
const PAGE = 1_000;

/** `stave webhooks …`: where clients get messages about changes, and these messages. */
export function webhooksCommand(shell: Shell): Command {
  return group('webhooks', 'Show and control the webhooks of clients', [
    list(shell),
    show(shell),
    deliveries(shell),
    enableOrDisable(shell, 'disable'),
    enableOrDisable(shell, 'enable'),
    replay(shell),
    ping(shell),
  ]);
}

function list(shell: Shell): Command {
  return command('list', 'List webhooks, newest first', {
    examples: [['stave webhooks list --client 0b6c…', 'those of one client, in both modes']],
  })
    .option('-c, --client <id>', 'id of a client; default: all clients')
    .action(async (options: { client?: string; json?: boolean }) => {
      const records = await withContext(shell, ({ store }) =>
        store.webhooks.records(options.client?.toLowerCase()),
      );
      outputOf(shell, options).result(records.map(forScripts), () =>
        records.length === 0
          ? 'no webhooks'
          : table(
              ['ID', 'CLIENT', 'MODE', 'STATE', 'URL'],
              records.map((record) => [
                record.id,
                record.clientId,
                record.mode,
                stateOf(record),
                printable(record.url),
              ]),
            ),
      );
    });
}

function show(shell: Shell): Command {
  return command('show', 'Show a webhook', {
    examples: [['stave webhooks show 0193…', '`stave webhooks list` shows the ids']],
  })
    .argument(...WEBHOOK)
    .action(async (id: string, options) => {
      const record = await withContext(shell, ({ store }) =>
        store.webhooks.record(id.toLowerCase()),
      );
      outputOf(shell, options).result(forScripts(record), () =>
        facts([
          ['id', record.id],
          ['client', record.clientId],
          ['mode', record.mode],
          ['state', stateOf(record)],
          ['url', printable(record.url)],
          ['events', record.eventTypes.join(', ')],
          ['referenced only', record.referencedOnly ? 'yes' : 'no'],
          ['description', printable(record.description)],
          ['version', String(record.version)],
          ['created', shownTime(record.createdAt)],
          ['updated', shownTime(record.updatedAt)],
        ]),
      );
    });
}

function deliveries(shell: Shell): Command {
  return command('deliveries', 'List the messages of the last 30 days to a webhook, newest first', {
    examples: [
      ['stave webhooks deliveries 0193… --status failed', 'those that ran out of attempts'],
    ],
  })
    .argument(...WEBHOOK)
    .option('-s, --status <status>', `one of ${DELIVERY_STATUSES.join(', ')}`, statusOf)
    .action(async (id: string, options: { status?: DeliveryStatus; json?: boolean }) => {
      const found = await withContext(shell, async ({ store }) => {
        const all: Delivery[] = [];
        for (;;) {
          const request = { status: options.status, offset: all.length, limit: PAGE };
          const page = await store.webhookDeliveries.list(id.toLowerCase(), 'operator', request);
          all.push(...page.deliveries);
          if (page.deliveries.length < PAGE) return all;
        }
      });
      outputOf(shell, options).result(found.map(deliveryForScripts), () =>
        found.length === 0
          ? 'no deliveries'
          : table(
              ['ID', 'TYPE', 'STATUS', 'ATTEMPTS', 'CREATED', 'NEXT ATTEMPT'],
              found.map((one) => [
                one.id,
                one.type,
                one.status,
                String(one.attemptCount),
                shownTime(one.createdAt),
                one.nextAttemptAt === null ? '' : shownTime(one.nextAttemptAt),
              ]),
            ),
      );
    });
}

function enableOrDisable(shell: Shell, name: 'enable' | 'disable'): Command {
  const enabled = name === 'enable';
  const summary = enabled
    ? 'Enable a webhook; it gets what changes from now on'
    : 'Disable a webhook and discard its pending messages';
  const meaning = enabled ? 'whoever disabled it' : 'its client cannot enable it again';
  return command(name, summary, { examples: [[`stave webhooks ${name} 0193…`, meaning]] })
    .argument(...WEBHOOK)
    .action(async (given: string, options) => {
      const id = given.toLowerCase();
      const changed = await withContext(shell, ({ store, by }) =>
        store.webhooks.setEnabled(id, enabled, by),
      );
      outputOf(shell, options).result({ id, enabled, changed }, () =>
        changed ? `${name}d ${id}` : `${id} is ${name}d already`,
      );
    });
}

function replay(shell: Shell): Command {
  return command('replay', 'Send the failed messages to a webhook again', {
    examples: [['stave webhooks replay 0193… --from 2026-11-20', 'those that failed since then']],
  })
    .argument(...WEBHOOK)
    .requiredOption('-f, --from <time>', 'when the first of them was created', moment('first'))
    .action(async (id: string, options: { from: number; json?: boolean }) => {
      const { from } = options;
      const result = await withContext(shell, ({ store }) =>
        store.webhookDeliveries.replayBetween(
          id.toLowerCase(),
          { from, status: 'failed' },
          'operator',
        ),
      );
      outputOf(shell, options).result(result, () => `${result.count} messages are sent again`);
    });
}

function ping(shell: Shell): Command {
  return command('ping', 'Send a message without content to a webhook', {
    examples: [['stave webhooks ping 0193…', '`stave webhooks deliveries` shows the result']],
  })
    .argument(...WEBHOOK)
    .action(async (id: string, options) => {
      const result = await withContext(shell, ({ store }) =>
        store.webhookDeliveries.ping(id.toLowerCase(), 'operator'),
      );
      outputOf(shell, options).result(result, () => `the delivery is ${result.deliveryId}`);
    });
}

function statusOf(text: string): DeliveryStatus {
  const status = DELIVERY_STATUSES.find((one) => one === text);
  if (status === undefined) {
    throw new InvalidArgumentError(`The statuses are ${DELIVERY_STATUSES.join(', ')}.`);
  }
  return status;
}

function stateOf({ enabled, disabledReason }: WebhookRecord): string {
  if (enabled) return 'enabled';
  return disabledReason === null ? 'disabled' : `disabled (${disabledReason})`;
}

function forScripts({ createdAt, updatedAt, clientId, mode, ...webhook }: WebhookRecord) {
  const times = { createdAt: isoTime(createdAt), updatedAt: isoTime(updatedAt) };
  return { ...webhook, ...times, clientId, mode };
}

function deliveryForScripts({ nextAttemptAt, createdAt, finishedAt, ...delivery }: Delivery) {
  return {
    ...delivery,
    nextAttemptAt: nextAttemptAt === null ? null : isoTime(nextAttemptAt),
    createdAt: isoTime(createdAt),
    finishedAt: finishedAt === null ? null : isoTime(finishedAt),
  };
}
