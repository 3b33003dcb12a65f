import { readFile } from 'node:fs/promises';
import { InvalidArgumentError } from 'commander';
import type { AppContext } from '../../../app/open/context.ts';
import { OperatorError } from '../../../common/errors.ts';
import { shownAmount } from '../../../features/licensing/issued-license.ts';
import { makeQuote } from '../../../features/licensing/make-quote.ts';
import { type QuoteTerms, shownQuote } from '../../../features/licensing/quote.ts';
import type { RateCard, RateCardRecord } from '../../../features/licensing/rate-card.ts';
import { parseRateCard } from '../../../features/licensing/rate-card-file.ts';
import { clientIdOf, clientNames, missingRule, requireFilters } from '../../named.ts';
import { command, group, outputOf, withContext } from '../shell.ts';
import { notEmpty, shownTime, wholeNumber, withIsoTimes } from '../terminal/arguments.ts';
import { facts, listOf, table } from '../terminal/table.ts';

/** The largest file of a rate card or a request. */
const MAX_BYTES = 1024 * 1024;

export const rateCardsCommand = group('rate-cards', 'Publish and show what licenses cost', [
  (shell) =>
    command(shell, 'publish', 'Publish a rate card, or check it', {
      hasTable: true,
      description:
        'Publishing creates a new version, which prices new quotes at once. Quotes that exist keep their price. ' +
        'With --dry-run, nothing is published; with --quote, the request is priced by the card and your catalog. ' +
        'Licenses of others are left aside.',
      examples: [
        ['stave rate-cards publish standard.json', 'a new version of the card that the file names'],
        [
          'stave rate-cards publish standard.json --dry-run --quote request.json',
          'what the request would cost, with each step',
        ],
      ],
    })
      .argument('<file>', 'JSON of the rate card')
      .option('--dry-run', 'check the card, and publish nothing')
      .option('--allow-missing', 'accept surcharges of filters that no track has ever had')
      .option(
        '--quote <file>',
        'JSON of a request, as for POST /v1/quotes; needs --dry-run',
        notEmpty,
      )
      .action(async (file: string, options: PublishOptions) => {
        if (options.quote !== undefined && options.dryRun !== true) {
          throw new OperatorError('--quote needs --dry-run');
        }
        const document = await contentOf(file);
        const card = parseRateCard(document);
        const { name } = card;
        const output = outputOf(shell, options);
        const rule = missingRule(options);
        await withContext(shell, ({ store }) => requireFilters(store, card, rule));
        if (options.dryRun !== true) {
          const version = await withContext(shell, ({ store, by }) =>
            store.rateCards.publish({ name, document }, by),
          );
          output.result({ name, version }, () => `published ${name}@${version}`);
        } else if (options.quote === undefined) {
          output.result({ name, valid: true }, () => `${name} is valid; nothing was published`);
        } else {
          const request = await contentOf(options.quote);
          const terms = await withContext(shell, (context) => priceOf(card, request, context));
          output.result(terms, () => shownPrice(terms));
        }
      }),
  (shell) =>
    command(shell, 'list', 'List all versions of rate cards', {
      hasTable: true,
      examples: [['stave rate-cards list', 'by name, the newest version first']],
    }).prints(
      ({ store }) => store.rateCards.list(),
      (records) =>
        listOf(records, 'no rate cards', {
          NAME: 'name',
          VERSION: 'version',
          STATE: stateOf,
          PUBLISHED: 'publishedAt',
          BY: 'by',
        }),
      (records) => records.map(({ document: _, ...record }) => forScripts(record)),
    ),
  (shell) =>
    command(shell, 'show', 'Print a rate card as it was published', {
      examples: [
        ['stave rate-cards show standard', 'the version in force'],
        ['stave rate-cards show standard@2 > standard.json', 'an older one, to edit it'],
      ],
    })
      .argument('<name>', 'name of the rate card, or name@version')
      .action(async (label: string, options) => {
        const { name, version } = parseLabel(label);
        const record = await withContext(shell, ({ store }) => store.rateCards.show(name, version));
        const { document, ...rest } = record;
        outputOf(shell, options).result(
          { ...forScripts(rest), document: JSON.parse(document) },
          () => document.trimEnd(),
        );
      }),
  (shell) =>
    command(shell, 'withdraw', 'Withdraw a version of a rate card', {
      description:
        'The newest version that is not withdrawn prices new quotes. Quotes that exist keep their price.',
      examples: [['stave rate-cards withdraw standard@3', 'version 2 is in force again']],
    })
      .argument('<name@version>', 'name and version, such as standard@3')
      .action(async (label: string, options) => {
        const { name, version } = parseLabel(label);
        if (version === undefined) {
          throw new OperatorError('name the version to withdraw, such as standard@3');
        }
        const changed = await withContext(shell, ({ store, by }) =>
          store.rateCards.withdraw(name, version, by),
        );
        outputOf(shell, options).result({ name, version, changed }, () =>
          changed ? `withdrew ${name}@${version}` : `${name}@${version} was withdrawn before`,
        );
      }),
]);

interface PublishOptions {
  dryRun?: boolean;
  quote?: string;
  allowMissing?: boolean;
  json?: boolean;
}

async function priceOf(
  card: RateCard,
  request: string,
  { store, clock }: AppContext,
): Promise<QuoteTerms> {
  // The other commands need no schemas.
  const { parseQuoteRequest } = await import('../../../features/licensing/quote-request.ts');
  const published = { card, version: 0 };
  const at = { buyer: null, now: clock.now() };
  const { terms } = await makeQuote(parseQuoteRequest(request), published, store.quotes, at);
  return terms;
}

function shownPrice({ items, amountMinor, currency, minorUnit }: QuoteTerms): string {
  const rows = items.map(({ slug, amountMinor: amount, breakdown }) => [
    slug,
    shownAmount(amount, minorUnit),
    breakdown.map(({ step, value }) => `${step} ${value}`).join(', '),
  ]);
  const total = `${shownAmount(amountMinor, minorUnit)} ${currency}`;
  return `${table(['TRACK', 'PRICE', 'STEPS'], rows)}\n\n${facts([['total', total]])}`;
}

function parseLabel(label: string): { name: string; version: number | undefined } {
  const match = /^([^@]+)(?:@([1-9]\d{0,8}))?$/.exec(label);
  if (match === null) {
    throw new InvalidArgumentError(
      'It must be a name, or a name and a version such as standard@3.',
    );
  }
  return { name: match[1]!, version: match[2] === undefined ? undefined : Number(match[2]) };
}

function stateOf({ isInForce, withdrawnAt }: Omit<RateCardRecord, 'document'>): string {
  if (isInForce) return 'in force';
  return withdrawnAt === null ? 'replaced' : 'withdrawn';
}

function forScripts({
  publishedAt,
  withdrawnAt,
  isInForce,
  ...record
}: Omit<RateCardRecord, 'document'>) {
  return withIsoTimes({ ...record, inForce: isInForce, publishedAt, withdrawnAt });
}

async function contentOf(path: string): Promise<string> {
  const bytes = await readFile(path);
  if (bytes.length > MAX_BYTES) throw new OperatorError(`${path} has more than 1 MiB`);
  return bytes.toString('utf8').replace(/^\uFEFF/, '');
}

const DEFAULT_LIMIT = 100;

export const quotesCommand = group('quotes', 'Show what clients were quoted', [
  (shell) =>
    command(shell, 'list', 'List the latest quotes, newest first', {
      hasTable: true,
      examples: [['stave quotes list --client 0b6c…', 'those of one client, in both modes']],
    })
      .option('-c, --client <client>', 'id or name of a client; default: all clients', notEmpty)
      .option('--limit <number>', 'how many', wholeNumber(1, 10_000), DEFAULT_LIMIT)
      .prints(
        async ({ store }, { client, limit }: { client?: string; limit: number }) => {
          const of = client && (await clientIdOf(store, client));
          const quotes = await store.quotes.latest(limit, { clientId: of });
          const names = await clientNames(store);
          const shown = quotes.map((quote) => {
            const { clientId, mode } = quote;
            const clientName = names.of(clientId);
            return { ...shownQuote(quote, shell.clock.now()), clientId, clientName, mode };
          });
          return { shown, names };
        },
        ({ shown, names }) =>
          listOf(shown, 'no quotes', {
            ID: 'id',
            CLIENT: ({ clientId }) => names.label(clientId),
            MODE: 'mode',
            STATE: ({ licenseNumber, status }) => licenseNumber ?? status,
            TRACKS: ({ items }) => items.length,
            PRICE: (quote) =>
              `${shownAmount(quote.amountMinor, quote.minorUnit)} ${quote.currency}`,
            CREATED: ({ createdAt }) => shownTime(Date.parse(createdAt)),
            PROJECT: ({ project }) => project.name,
          }),
        ({ shown }) => shown,
      ),
]);
