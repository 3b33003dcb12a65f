import type { Quote } from '#client';
import { viewOf } from '../browse/location.ts';
import { PAGE_SIZE, usePaged } from '../lists/use-paged.ts';
import { Icon } from '../shell/icon.tsx';
import { Link } from '../shell/link.tsx';
import { day, t } from '../texts/texts.ts';
import { FoundList, statusName } from './found-list.tsx';
import { money, termName } from './names.ts';
import { usageText } from './offer.tsx';

/** The quotes of the client, newest first. */
export function Quotes() {
  const list = usePaged('quotes', (stave, page, signal) =>
    stave.listQuotes({ page, pageSize: PAGE_SIZE }, { signal }),
  );
  return (
    <FoundList
      title={t('quotes')}
      noun="countQuotes"
      list={list}
      statuses={['open', 'licensed', 'expired']}
      textOf={(quote) =>
        [quote.project.name, quote.licenseNumber, ...quote.items.map(({ name }) => name)].join(' ')
      }
      empty={t('noQuotes')}
    >
      {(quote) => <QuoteLine key={quote.id} quote={quote} />}
    </FoundList>
  );
}

function QuoteLine({ quote }: { quote: Quote }) {
  const { items, project, term, status, expiresAt } = quote;
  return (
    <li>
      <Link view={viewOf({ list: 'quote', of: quote.id })} class="line">
        <Icon name="receipt" />
        <span class="names">
          <span class="name">
            {project.name}: {items.map(({ name }) => name).join(', ')}
          </span>
          <span class="artists">{usageText(quote, termName(term))}</span>
        </span>
        <span class="price">
          <strong>{money(quote.amountMinor, quote)}</strong>
          <span class="meta">
            {status === 'open' ? t('until', { day: day(expiresAt) }) : statusName(status)}
          </span>
        </span>
      </Link>
    </li>
  );
}
