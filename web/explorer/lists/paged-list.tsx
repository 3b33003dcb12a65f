import type { ComponentChildren } from 'preact';
import { Failure } from '../shell/failure.tsx';
import type { Paged } from './use-paged.ts';

/** A list that is loaded page by page: its title and total, its items, and a button for the next page. */
export function PagedList<Item>({
  title,
  noun,
  plural = `${noun}s`,
  list: { items, total, failure, more, reload },
  kind,
  beside,
  empty,
  children,
}: {
  title: string;
  /** The name of one item, and of several if that is not the same with an s. */
  noun: string;
  plural?: string;
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
          {total !== undefined && `${total.toLocaleString()} ${total === 1 ? noun : plural}`}
        </p>
        {beside}
      </div>
      {failure !== undefined && <Failure error={failure} retry={reload} />}
      {total === 0 && <p class="empty">{empty}</p>}
      <ul class={kind}>{items.map(children)}</ul>
      {more && (
        <button type="button" class="show-more" onClick={more}>
          Show more
        </button>
      )}
    </>
  );
}
