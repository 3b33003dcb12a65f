import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { LicenseRequest, Quote } from '#client';
import { go, viewOf } from '../browse/location.ts';
import { announce } from '../shell/announcement.tsx';
import { keep, kept } from '../shell/kept.ts';
import { Link } from '../shell/link.tsx';
import { session } from '../shell/session.ts';
import { useIsShown } from '../shell/use-is-shown.ts';
import { day, type Key, t } from '../texts/texts.ts';
import { COUNTRIES } from './country-codes.ts';
import {
  asTerritories,
  mediumName,
  money,
  termName,
  territoryName,
  territoryNames,
} from './names.ts';
import { Problems } from './problems.tsx';
import { TestMark } from './test-mark.tsx';

/** The price of a quote, and what buys its license. */
export function Offer({ quote, isNew = false }: { quote: Quote; isNew?: boolean }) {
  const box = useRef<HTMLDivElement>(null);
  // It is below the form, which may fill the panel.
  useEffect(() => {
    if (isNew) box.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  const { status, licenseNumber, amountMinor, expiresAt } = quote;
  return (
    <div class="price-box" ref={box}>
      <p>
        <strong>{money(amountMinor, quote)}</strong> {t('net')}
        {status === 'open' && `, ${t('validUntil', { day: day(expiresAt) })}`} <TestMark />
      </p>
      <Steps quote={quote} />
      {isNew && (
        <Link view={{ ...viewOf({ list: 'quote', of: quote.id }), panel: undefined }}>
          {t('openQuote')}
        </Link>
      )}
      {status === 'open' && <Purchase quote={quote} />}
      {status === 'expired' && <QuoteAgain quote={quote} />}
      {licenseNumber !== null && (
        <Link view={viewOf({ list: 'license', of: licenseNumber })} class="button">
          {t('licenseNumber', { number: licenseNumber })}
        </Link>
      )}
    </div>
  );
}

const STEPS: Readonly<Record<string, Key>> = {
  base: 'stepBase',
  media: 'media',
  territory: 'countries',
  term: 'term',
  audience: 'audience',
  exclusive: 'exclusive',
  surcharge: 'stepSurcharge',
  volume: 'stepVolume',
  minimum: 'stepMinimum',
};

/** How the price comes about: of one track by its steps, of several by their prices. */
function Steps({ quote }: { quote: Quote }) {
  const [first, second] = quote.items;
  const lines =
    second !== undefined
      ? quote.items.map(({ name, amountMinor }) => [name, money(amountMinor, quote)])
      : (first?.breakdown ?? []).map(({ step, value, code, codes }) => {
          const name = STEPS[step] === undefined ? step : t(STEPS[step]);
          const isAmount = step === 'base' || step === 'minimum';
          return [
            [name, codeNames(step, code, codes)].filter(Boolean).join(': '),
            isAmount ? money(Number(value), quote) : `× ${value}`,
          ];
        });
  return (
    <dl class="facts">
      {lines.map(([name, value], i) => (
        <div key={`${i} ${name}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function codeNames(step: string, code?: string, codes: readonly string[] = []): string {
  if (step === 'media') return codes.map(mediumName).join(', ');
  if (code === undefined) return codes.join(', ');
  if (step === 'territory') return territoryName(code);
  return step === 'term' ? termName(code) : code;
}

type Licensee = LicenseRequest['licensee'];

/** Where the browser keeps the licensee of the last license, apart for each client. */
const licenseeName = () => `licensee.${session.peek()?.me.clientId}`;

function keptLicensee(): Partial<Licensee> {
  try {
    return JSON.parse(kept(licenseeName()) ?? '{}');
  } catch {
    return {};
  }
}

/** Buys the license of an open quote, for a licensee that is remembered. */
function Purchase({ quote }: { quote: Quote }) {
  const failure = useSignal<unknown>(undefined);
  const isBusy = useSignal(false);
  const isShown = useIsShown();
  const { name, country, email } = keptLicensee();
  const buy = async (event: SubmitEvent) => {
    event.preventDefault();
    const licensee = licenseeIn(event.currentTarget as HTMLFormElement);
    failure.value = undefined;
    isBusy.value = true;
    try {
      const { id: quoteId, termsVersion } = quote;
      const request = { quoteId, termsVersion, licensee };
      const { number } = await session.peek()!.stave.createLicense(request);
      keep(licenseeName(), JSON.stringify(licensee));
      announce(t('bought'));
      if (isShown()) go({ ...viewOf({ list: 'license', of: number }), panel: undefined });
    } catch (error) {
      failure.value = error;
    } finally {
      isBusy.value = false;
    }
  };
  return (
    <form class="quote" onSubmit={buy}>
      <label>
        {t('licensee')}
        <input
          name="licensee"
          required
          maxLength={200}
          autocomplete="organization"
          placeholder={t('licenseeExample')}
          defaultValue={name}
        />
      </label>
      <label>
        {t('licenseeCountry')}
        <select name="country" required>
          <option value="">{t('choose')}</option>
          {sortedCountries().map(([code, label]) => (
            <option key={code} value={code} selected={code === country}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label>
        {t('email')}
        <input
          name="email"
          type="email"
          maxLength={254}
          autocomplete="email"
          placeholder={t('optional')}
          defaultValue={email}
        />
      </label>
      <p class="meta">
        {t('acceptTerms')}{' '}
        <a href={quote.termsUrl} target="_blank" rel="noreferrer">
          {t('termsVersion', { version: quote.termsVersion })}
        </a>
      </p>
      <Limit quote={quote} />
      {failure.value !== undefined && (
        <Problems error={failure.value} tracks={quote.items.map((item) => item.name)} />
      )}
      <button type="submit" class="primary" disabled={isBusy.value}>
        {t('buy', { price: money(quote.amountMinor, quote) })} <TestMark />
      </button>
    </form>
  );
}

/** What the client may still spend in this month, if the licensor has set a limit. */
function Limit({ quote }: { quote: Quote }) {
  const { remainingLimit } = quote;
  if (remainingLimit === null) return null;
  const isBeyond = quote.amountMinor > remainingLimit;
  const left = t('limitLeft', { amount: money(remainingLimit, quote) });
  return <p class={isBeyond ? 'problem' : 'meta'}>{left}</p>;
}

function licenseeIn(form: HTMLFormElement): Licensee {
  const fields = new FormData(form);
  const text = (name: string) => String(fields.get(name) ?? '').trim();
  return {
    name: text('licensee'),
    country: text('country') as Licensee['country'],
    ...(text('email') !== '' && { email: text('email') }),
  };
}

function sortedCountries(): [code: string, name: string][] {
  const named = COUNTRIES.map((code): [string, string] => [code, territoryName(code)]);
  return named.sort(([, a], [, b]) => a.localeCompare(b));
}

/** Asks for the price of today of an expired quote. */
function QuoteAgain({ quote }: { quote: Quote }) {
  const failure = useSignal<unknown>(undefined);
  const ask = async () => {
    try {
      const { media, term, exclusive, project, audience, purchaseOrder } = quote;
      const { id } = await session.peek()!.stave.createQuote({
        ...{ media, term, exclusive, project },
        ...(audience !== undefined && { audience }),
        ...(purchaseOrder !== null && { purchaseOrder }),
        tracks: quote.items.map(({ slug }) => slug),
        territories: asTerritories(quote.territories),
      });
      go(viewOf({ list: 'quote', of: id }));
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <>
      <p>{t('quoteExpired', { day: day(quote.expiresAt) })}</p>
      <button type="button" class="primary" onClick={ask}>
        {t('quoteAgain')}
      </button>
      {failure.value !== undefined && (
        <Problems error={failure.value} tracks={quote.items.map(({ name }) => name)} />
      )}
    </>
  );
}

/** The use of a quote or a license in a line. */
export function usageText(use: Pick<Quote, 'media' | 'territories'>, term: string): string {
  return [use.media.map(mediumName).join(', '), territoryNames(use.territories), term].join(' · ');
}
