import type { Quote } from '#client';
import { viewOf } from '../browse/location.ts';
import { Icon } from '../shell/icon.tsx';
import { Link } from '../shell/link.tsx';
import { money, termName } from './money.ts';
import { PagedList } from './paged-list.tsx';
import { usePaged } from './use-paged.ts';

/** The quotes of the client, newest first. */
export function Quotes() {
  const list = usePaged('quotes', (stave, page, signal) =>
    stave.listQuotes({ page, pageSize: 50 }, { signal }),
  );
  return (
    <PagedList
      title="Quotes"
      noun="quote"
      kind="lines"
      list={list}
      empty="No quotes yet. Open a track and ask for one."
    >
      {(quote) => <QuoteLine key={quote.id} quote={quote} />}
    </PagedList>
  );
}

function QuoteLine({ quote }: { quote: Quote }) {
  const { items, project, media, territories, term, status, expiresAt } = quote;
  const first = items[0];
  return (
    <li>
      <Link
        view={{ ...viewOf({ list: 'quotes' }), ...(first && { track: first.slug }) }}
        class="line"
      >
        <Icon name="receipt" />
        <span class="names">
          <span class="name">
            {project.name}: {items.map(({ name }) => name).join(', ')}
          </span>
          <span class="artists">
            {media.join(', ')} · {territories.join(', ')} · {termName(term)}
          </span>
        </span>
        <span class="price">
          <strong>{money(quote.amountMinor, quote)}</strong>
          <span class="meta">
            {status === 'open' ? `until ${new Date(expiresAt).toLocaleDateString()}` : status}
          </span>
        </span>
      </Link>
    </li>
  );
}
