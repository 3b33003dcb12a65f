import { MODES } from '../../../common/caller/scopes.ts';
import { StaveError } from '../../../common/errors.ts';
import { OperatorError } from '../../../common/operator-error.ts';
import { LICENSE_STATES, licenseState } from '../../../features/licensing/issued-license.ts';
import { shownQuote } from '../../../features/licensing/quote.ts';
import { decimalsOf, shownAmount } from '../../../features/licensing/shown-amount.ts';
import { number, time } from '../pages/format.ts';
import { html } from '../pages/html.ts';
import { action, type ConsoleRoute, done, page } from '../pages/page.ts';
import {
  badge,
  field,
  firstOf,
  heading,
  offsetOf,
  PAGE_ROWS,
  pageOf,
  pager,
  select,
  table,
} from '../pages/parts.ts';
import type { ConsoleDependencies } from '../server/dependencies.ts';
import { licensePage } from './license-page.ts';
import { LICENSE_TONES } from './license-tones.ts';

const MAX_REASON = 500;

/** Quotes and licenses of all clients. */
export function saleRoutes(deps: ConsoleDependencies): ConsoleRoute[] {
  const { store, clock } = deps.context;
  return [
    page('/quotes', async ({ query }) => {
      const at = pageOf(query);
      const { rows, hasMore } = firstOf(await store.quotes.latest(PAGE_ROWS + 1, offsetOf(at)));
      return {
        title: 'Quotes',
        main: html`${heading('Quotes')}${table(
          'Quotes',
          [
            'Created',
            'Client',
            'Mode',
            'State',
            { title: 'Tracks', isNumber: true },
            { title: 'Price', isNumber: true },
            'Project',
            'Id',
          ],
          rows.map((quote) => {
            const shown = shownQuote(quote, clock.now());
            return [
              time(quote.createdAt),
              html`<a href="/clients/${quote.clientId}">${quote.clientId.slice(0, 8)}…</a>`,
              quote.mode,
              shown.licenseNumber === null
                ? badge(shown.status)
                : html`<a href="/licenses/${shown.licenseNumber}">${shown.licenseNumber}</a>`,
              number(shown.items.length),
              `${shownAmount(shown.amountMinor, shown.minorUnit)} ${shown.currency}`,
              shown.project.name,
              html`<code>${quote.id}</code>`,
            ];
          }),
          at > 1 ? 'There are no older quotes.' : 'No client was quoted anything yet.',
        )}${pager('/quotes', query, { page: at, hasMore })}`,
      };
    }),
    ...licenseRoutes(deps),
  ];
}

/** The list of licenses, the page of each, and its revocation. */
function licenseRoutes({ context }: ConsoleDependencies): ConsoleRoute[] {
  const { store, clock, by } = context;
  return [
    page('/licenses', async ({ query }) => {
      const now = clock.now();
      const status = LICENSE_STATES.find((one) => one === query.get('state'));
      const mode = MODES.find((one) => one === query.get('mode'));
      const prefix = query.get('number')?.trim().toUpperCase().slice(0, 40) || undefined;
      const filter = { status, mode, numberPrefix: prefix, now };
      const isFiltered = [status, mode, prefix].some((one) => one !== undefined);
      const at = pageOf(query);
      const page = { ...filter, ...offsetOf(at) };
      const { rows, hasMore } = firstOf(await store.issuedLicenses.latest(PAGE_ROWS + 1, page));
      return {
        title: 'Licenses',
        main: html`${heading('Licenses')}
<form method="get" action="/licenses" class="inline search" role="search">${field('Number begins with', html`<input name="number" value="${prefix}" autocomplete="off">`)}${field('State', select('state', [['', 'any'], ...LICENSE_STATES.map((one) => [one, one] as const)], status))}${field('Mode', select('mode', [['', 'any'], ...MODES.map((one) => [one, one] as const)], mode))}<button class="primary">Show</button></form>
${table(
  'Licenses',
  [
    'Number',
    'State',
    'Mode',
    'Licensee',
    { title: 'Tracks', isNumber: true },
    { title: 'Price', isNumber: true },
    'Issued',
    'Ends',
  ],
  rows.map((license) => {
    const state = licenseState(license, now);
    return [
      html`<a href="/licenses/${license.number}">${license.number}</a>`,
      badge(state, LICENSE_TONES[state]),
      license.mode,
      license.terms.licensee.name,
      number(license.terms.tracks.length),
      `${shownAmount(license.amountMinor, decimalsOf(license))} ${license.currency}`,
      time(license.issuedAt),
      time(license.endsAt),
    ];
  }),
  isFiltered || at > 1 ? 'No license matches.' : 'No license was issued yet.',
)}${pager('/licenses', query, { page: at, hasMore })}`,
      };
    }),
    page('/licenses/:number', async ({ params, session }) => {
      const license = await store.issuedLicenses.findAny(params.number!);
      if (license === undefined) {
        throw new StaveError('not_found', `There is no license ${params.number}.`);
      }
      return { title: license.number, main: licensePage(session, license, clock.now()) };
    }),
    action('/licenses/:number/revoke', async ({ params, form: given }) => {
      const reason = given.get('reason')?.trim() ?? '';
      if (reason === '' || reason.length > MAX_REASON) {
        throw new OperatorError(`give a reason of up to ${MAX_REASON} characters`);
      }
      await store.issuedLicenses.revoke(params.number!, { reason, now: clock.now() }, by);
      return done(
        `/licenses/${params.number}`,
        'The license is revoked. Its client is told by webhook.',
      );
    }),
  ];
}
