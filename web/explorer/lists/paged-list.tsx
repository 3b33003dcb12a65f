import type { ComponentChildren } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import { Failure } from '../shell/failure.tsx';
import { type Key, t } from '../texts/texts.ts';
import type { Paged } from './use-paged.ts';

/** A list that is loaded page by page, as it is scrolled: its title and total, and its items. */
export function PagedList<Item>({
  title,
  noun,
  list: { items, total, failure, more, reload },
  kind,
  beside,
  below,
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
  /** What stands below the items, instead of what loads the next page when it is scrolled to. */
  below?: ComponentChildren;
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
          {total === undefined ? failure === undefined && t('loading') : t(noun, { n: total })}
        </p>
        {beside}
      </div>
      {failure !== undefined && <Failure error={failure} retry={reload} />}
      {total === 0 && <p class="empty">{empty}</p>}
      <ul class={kind}>{items.map(children)}</ul>
      {below ?? (more && <More more={more} />)}
    </>
  );
}

/** How far above its end the next page of a list is requested. */
const AHEAD = '600px';

/** Requests the next page when it is scrolled to, or pressed. */
function More({ more }: { more: () => void }) {
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && more(),
      { root: button.current!.closest('.main'), rootMargin: AHEAD },
    );
    observer.observe(button.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <button type="button" class="show-more" ref={button} onClick={more}>
      {t('showMore')}
    </button>
  );
}
