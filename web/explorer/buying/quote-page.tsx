import type { Quote } from '#client';
import { viewOf, withTrack } from '../browse/location.ts';
import { Link } from '../shell/link.tsx';
import { useLoaded } from '../shell/use-loaded.ts';
import { day, number, t } from '../texts/texts.ts';
import { statusName } from './found-list.tsx';
import { mediumName, money, termName, territoryNames } from './names.ts';
import { Offer } from './offer.tsx';
import { Facts, Page } from './page.tsx';

/** A quote: what it offers, and what buys it. */
export function QuotePage({ id }: { id: string }) {
  const loaded = useLoaded(`quote ${id}`, (stave, signal) =>
    stave.showQuote({ id }, { signal }).then(),
  );
  return (
    <Page
      back={viewOf({ list: 'quotes' })}
      title={loaded.data ? t('quoteFor', { project: loaded.data.project.name }) : t('quote')}
      loaded={loaded}
    >
      {(quote) => (
        <>
          <div>
            <Facts facts={factsOf(quote)} />
            <h2>{t('countTracks', { n: quote.items.length })}</h2>
            <ul class="parts">
              {quote.items.map(({ trackId, slug, name, amountMinor }) => (
                <li key={trackId}>
                  <Link view={withTrack(slug)} class="name" dir="auto">
                    {name}
                  </Link>
                  <span class="meta">{money(amountMinor, quote)}</span>
                </li>
              ))}
            </ul>
          </div>
          <Offer key={quote.id + quote.status} quote={quote} />
        </>
      )}
    </Page>
  );
}

function factsOf(quote: Quote): [string, string][] {
  return [
    [t('status'), statusName(quote.status)],
    [t('project'), quote.project.name],
    [t('purchaseOrder'), quote.purchaseOrder ?? ''],
    [t('media'), quote.media.map(mediumName).join(', ')],
    [t('countries'), territoryNames(quote.territories)],
    [t('term'), termName(quote.term)],
    [t('audience'), quote.audience === undefined ? '' : number(quote.audience)],
    [t('exclusive'), quote.exclusive ? t('yes') : ''],
    [t('created'), day(quote.createdAt)],
    [t('quoteId'), quote.id],
  ];
}
