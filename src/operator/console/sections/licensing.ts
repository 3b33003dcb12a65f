import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { UPLOADS_FOLDER } from '../../../app/open/data-folder.ts';
import { MODES } from '../../../common/caller.ts';
import { OperatorError, StaveError } from '../../../common/errors.ts';
import {
  LICENSE_STATES,
  type LicenseState,
  type LicenseView,
  licenseState,
  shownAmount,
} from '../../../features/licensing/issued-license.ts';
import { shownQuote } from '../../../features/licensing/quote.ts';
import type { RateCardRecord } from '../../../features/licensing/rate-card.ts';
import { parseRateCard } from '../../../features/licensing/rate-card-file.ts';
import { type ClientNames, clientNames, requireFilters } from '../../named.ts';
import { type Html, html, number, prettyJson, time } from '../pages/html.ts';
import {
  action,
  asShown,
  type ConsoleRoute,
  done,
  edit,
  type FormSession,
  page,
} from '../pages/page.ts';
import {
  allowMissing,
  badge,
  button,
  card,
  clientLink,
  copyable,
  facts,
  field,
  form,
  heading,
  missingRuleOf,
  pager,
  readPage,
  select,
  sliceOf,
  type Tone,
  table,
  tableCard,
} from '../pages/parts.ts';

import { readUpload } from '../server/upload.ts';

const MAX_REASON = 500;

export const SALE_ROUTES: readonly ConsoleRoute[] = [
  page('/quotes', async ({ query, context: { store, clock } }) => {
    const quotes = await readPage(query, (limit, at) => store.quotes.latest(limit, at));
    const names = await clientNames(store);
    return {
      title: 'Quotes',
      main: html`${heading('Quotes')}${table(
        'Quotes',
        'Created | Client | Mode | State | # Tracks | # Price | Project | Id',
        quotes.rows.map((quote) => {
          const shown = shownQuote(quote, clock.now());
          return [
            time(quote.createdAt),
            clientLink(quote.clientId, names),
            quote.mode,
            shown.licenseNumber === null
              ? badge(shown.status)
              : html`<a href="/licenses/${shown.licenseNumber}">${shown.licenseNumber}</a>`,
            number(shown.items.length),
            `${shownAmount(shown.amountMinor, shown.minorUnit)} ${shown.currency}`,
            shown.project.name,
            copyable(quote.id, 'quote id'),
          ];
        }),
        quotes.page > 1 ? 'There are no older quotes.' : 'No client was quoted anything yet.',
      )}${pager('/quotes', query, quotes)}`,
    };
  }),
  page('/licenses', async ({ query, context: { store, clock } }) => {
    const now = clock.now();
    const status = LICENSE_STATES.find((one) => one === query.get('state'));
    const mode = MODES.find((one) => one === query.get('mode'));
    const prefix = query.get('number')?.trim().toUpperCase().slice(0, 40) || undefined;
    const filter = { status, mode, numberPrefix: prefix, now };
    const isFiltered = [status, mode, prefix].some((one) => one !== undefined);
    const licenses = await readPage(query, (limit, at) =>
      store.issuedLicenses.latest(limit, { ...filter, ...at }),
    );
    const names = await clientNames(store);
    return {
      title: 'Licenses',
      main: html`${heading('Licenses')}
<form method="get" action="/licenses" class="inline search" role="search">${field('Number begins with', html`<input name="number" value="${prefix}" autocomplete="off">`)}${field('State', select('state', [['', 'any'], ...LICENSE_STATES], status))}${field('Mode', select('mode', [['', 'any'], ...MODES], mode))}<button class="primary">Show</button></form>
${table(
  'Licenses',
  'Number | State | Mode | Client | Licensee | # Tracks | # Price | Issued | Ends',
  licenses.rows.map((license) => {
    const state = licenseState(license, now);
    return [
      html`<a href="/licenses/${license.number}">${license.number}</a>`,
      badge(state, LICENSE_TONES[state]),
      license.mode,
      clientLink(license.clientId, names),
      license.terms.licensee.name,
      number(license.terms.tracks.length),
      `${shownAmount(license.amountMinor, license.terms.minorUnit)} ${license.currency}`,
      time(license.issuedAt),
      time(license.endsAt),
    ];
  }),
  isFiltered || licenses.page > 1 ? 'No license matches.' : 'No license was issued yet.',
)}${pager('/licenses', query, licenses)}`,
    };
  }),
  page('/licenses/:number', async ({ params, session, context: { store, clock } }) => {
    const license = await store.issuedLicenses.findAny(params.number!);
    if (license === undefined) {
      throw new StaveError('not_found', `There is no license ${params.number}.`);
    }
    const by = { names: await clientNames(store), now: clock.now() };
    return { title: license.number, main: licensePage(session, license, by) };
  }),
  action(
    '/licenses/:number/revoke',
    async ({ params, form: given, context: { store, clock, by } }) => {
      const reason = given.get('reason')?.trim() ?? '';
      if (reason === '' || reason.length > MAX_REASON) {
        throw new OperatorError(`give a reason of up to ${MAX_REASON} characters`);
      }
      await store.issuedLicenses.revoke(params.number!, { reason, now: clock.now() }, by);
      return done(
        `/licenses/${params.number}`,
        'The license is revoked. Its client is told by webhook.',
      );
    },
  ),
];

function licensePage(
  session: FormSession,
  license: LicenseView,
  { names, now }: { names: ClientNames; now: number },
): Html {
  const { terms, revokedAt, reason, takenDown } = license;
  const { licensee, project } = terms;
  const state = licenseState(license, now);
  const amount = (minor: number) =>
    `${shownAmount(minor, license.terms.minorUnit)} ${license.currency}`;
  return html`${heading(html`${license.number} ${badge(state, LICENSE_TONES[state])}`)}
${facts([
  ['Number', copyable(license.number, 'number')],
  ['Mode', license.mode],
  ['Client', clientLink(license.clientId, names)],
  ['Client id', copyable(license.clientId, 'client id')],
  ['Licensee', [licensee.name, licensee.country, licensee.email ?? ''].join(' ').trim()],
  ['Project', project.name],
  ['Reference', project.reference ?? ''],
  ['Purchase order', terms.purchaseOrder ?? ''],
  ['Media', terms.media.join(', ')],
  ['Territories', terms.territories.join(', ')],
  ['Exclusive', terms.exclusive ? 'yes' : 'no'],
  ['Price', amount(license.amountMinor)],
  ['Terms', terms.termsVersion],
  ['Issued', time(license.issuedAt)],
  ['Starts', time(license.startsAt)],
  ['Ends', time(license.endsAt)],
  ['Revoked', revokedAt && html`${time(revokedAt)}: ${reason}`],
])}
${tableCard(
  'Tracks',
  'Track | ISRC | # Price | State',
  terms.tracks.map((track) => [
    html`<a href="/tracks/${track.trackId}">${track.name}</a>`,
    html`<code>${track.isrc}</code>`,
    amount(track.amountMinor),
    takenDown.has(track.trackId) ? badge('taken down', 'bad') : badge('live', 'good'),
  ]),
)}
${
  revokedAt === null &&
  card(
    'Revoke',
    form(
      session,
      `/licenses/${license.number}/revoke`,
      (given) =>
        html`<p>Its verification says so at once, it no longer excludes others, and its client is told. It cannot be undone.</p>${field('Reason', html`<input name="reason" required maxlength="500" value="${given.text('reason', null)}">`, 'Kept with the license.')}<button class="danger">Revoke</button>`,
    ),
  )
}`;
}

const LICENSE_TONES: Readonly<Record<LicenseState, Tone>> = {
  active: 'good',
  scheduled: 'plain',
  expired: 'plain',
  revoked: 'bad',
};

const MAX_BYTES = 1024 * 1024;
const VERSION_PATH = '/rate-cards/:name/:version(^\\d{1,9}$)';

export const RATE_CARD_ROUTES: readonly ConsoleRoute[] = [
  page('/rate-cards', async ({ query, session, context: { store } }) => {
    const shown = sliceOf(await store.rateCards.list(), query);
    return {
      title: 'Rate cards',
      main: html`${heading('Rate cards')}${table(
        'Rate cards',
        'Name | # Version | State | Published | By',
        shown.rows.map((record) => [
          html`<a href="/rate-cards/${record.name}/${record.version}">${record.name}</a>`,
          record.version,
          stateOf(record),
          time(record.publishedAt),
          record.by,
        ]),
        'There is no rate card yet.',
      )}${pager('/rate-cards', query, shown)}${card(
        'Publish a version',
        form(
          session,
          '/rate-cards',
          (given) =>
            html`${field('Rate card', html`<input type="file" name="file" required accept=".json">`, 'JSON of up to 1 MB, which has the name. New quotes are priced by it at once.')}${allowMissing(given, 'A filter of a surcharge')}<div class="actions"><button class="primary" name="what" value="publish">Publish</button><button name="what" value="check">Only check it</button></div>`,
          { hasFiles: true },
        ),
      )}`,
    };
  }),
  action(
    '/rate-cards',
    async (request) => {
      const folder = join(request.context.config.dataFolder, UPLOADS_FOLDER);
      const upload = await readUpload(request, { folder, maxBytes: MAX_BYTES });
      try {
        const shown = asShown(request);
        const path = upload.files.get('file');
        if (path === undefined) throw new OperatorError('choose the file of a rate card');
        const document = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
        const card = parseRateCard(document);
        const { name } = card;
        await requireFilters(shown.store, card, missingRuleOf(request.form));
        if (request.form.get('what') !== 'publish') {
          return done('/rate-cards', `${name} is valid. Nothing was published.`);
        }
        const version = await shown.store.rateCards.publish({ name, document }, request.context.by);
        return done(`/rate-cards/${name}/${version}`, `${name}@${version} is published.`);
      } finally {
        await upload.remove();
      }
    },
    { isUpload: true },
  ),
  page(VERSION_PATH, async ({ params, session, context: { store } }) => {
    const record = await store.rateCards.show(params.name!, Number(params.version));
    const label = `${record.name}@${record.version}`;
    return {
      title: label,
      main: html`${heading(
        html`${label} ${stateOf(record)}`,
        record.withdrawnAt === null &&
          button(session, {
            ...{ to: `/rate-cards/${record.name}/${record.version}/withdraw`, name: 'Withdraw' },
            ...{
              kind: 'danger',
              confirms: `Withdraw ${label}? Quotes that exist keep their price.`,
            },
          }),
      )}${facts([
        ['Published', time(record.publishedAt)],
        ['By', record.by],
        ['Withdrawn', record.withdrawnAt && time(record.withdrawnAt)],
      ])}${card('Document', html`<pre><code>${prettyJson(record.document)}</code></pre>`)}`,
    };
  }),
  edit(`${VERSION_PATH}/withdraw`, async ({ params, context }) => {
    const { name, version } = params;
    await context.store.rateCards.withdraw(name!, Number(version), context.by);
    return done('/rate-cards', `${name}@${version} is withdrawn.`);
  }),
];

function stateOf({ isInForce, withdrawnAt }: RateCardRecord): Html {
  if (isInForce) return badge('in force', 'good');
  return badge(withdrawnAt === null ? 'replaced' : 'withdrawn');
}
