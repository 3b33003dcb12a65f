import type { ComponentChildren } from 'preact';
import { Failure } from '../shell/failure.tsx';
import { type Key, t } from '../texts/texts.ts';
import type { Paged } from './use-paged.ts';

/** A list that is loaded page by page: its title and total, its items, and a button for the next page. */
export function PagedList<Item>({
  title,
  noun,
  list: { items, total, failure, more, reload },
  kind,
  beside,
  empty,
  children,
}: {
  title: string;
  /** The text that counts the items. */
  noun: Key;
  list: Paged<Item>;
  /** The class of the list. */
  kind: 'lines' | 'cards';
  /** What stands beside the title. */
  beside?: ComponentChildren;
  /** What to do where there is no item. */
  empty: string;
  /** Shows an item as an `li` with a key. */
  children: (item: Item) => ComponentChildren;
}) {
  return (
    <>
      <div class="result">
        <h1 tabIndex={-1}>{title}</h1>
        <p class="total" role="status">
          {total !== undefined && t(noun, { n: total })}
        </p>
        {beside}
      </div>
      {failure !== undefined && <Failure error={failure} retry={reload} />}
      {total === 0 && <p class="empty">{empty}</p>}
      <ul class={kind}>{items.map(children)}</ul>
      {more && (
        <button type="button" class="show-more" onClick={more}>
          {t('showMore')}
        </button>
      )}
    </>
  );
}
