import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { go, view, withFound } from '../browse/location.ts';
import type { Status } from '../browse/view.ts';
import { PagedList } from '../lists/paged-list.tsx';
import type { Paged } from '../lists/use-paged.ts';
import { type Key, t } from '../texts/texts.ts';
import { TestMark } from './test-mark.tsx';

/** How many items are loaded for a search, which the API does not have, until the visitor asks for more. */
const SEARCHED_AT_ONCE = 1_000;

const STATUS_NAMES: Readonly<Record<string, Key>> = {
  open: 'statusOpen',
  licensed: 'statusBought',
  scheduled: 'statusScheduled',
  active: 'statusActive',
  expired: 'statusExpired',
  revoked: 'statusRevoked',
};

/** What people call the status of a quote or a license. */
export function statusName(status: string): string {
  return STATUS_NAMES[status] === undefined ? status : t(STATUS_NAMES[status]);
}

/** A list of quotes or licenses, restricted to a status and to a text by the address. */
export function FoundList<Item extends { status: string }>({
  list,
  statuses,
  isOfStatus = false,
  textOf,
  ...rest
}: {
  title: string;
  noun: Key;
  empty: string;
  list: Paged<Item>;
  statuses: readonly Status[];
  /** Whether the API restricts the list to the status of the address. */
  isOfStatus?: boolean;
  /** What the search looks at. */
  textOf: (item: Item) => string;
  children: (item: Item) => ComponentChildren;
}) {
  const { status, find } = view.value;
  const words = (find ?? '').toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const isSearched = words.length > 0 || (status !== undefined && !isOfStatus);
  const limit = useSignal(SEARCHED_AT_ONCE);
  const { more, items, total } = list;
  const isAll = total !== undefined && items.length >= total;
  const isEnough = isAll || items.length >= limit.value;
  useEffect(() => {
    if (isSearched && !isEnough) more?.();
  }, [isSearched, isEnough, items.length]);
  const found = items.filter((item) => {
    const text = textOf(item).toLocaleLowerCase();
    return (
      (status === undefined || item.status === status) && words.every((word) => text.includes(word))
    );
  });
  const searched = {
    list: { ...list, items: found, total: isEnough ? found.length : undefined },
    below: isEnough && !isAll && (
      <p class="searched" role="status">
        {t('searchedNewest', { n: items.length, total: total ?? 0 })}{' '}
        <button
          type="button"
          onClick={() => {
            limit.value = items.length + SEARCHED_AT_ONCE;
          }}
        >
          {t('searchOlder')}
        </button>
      </p>
    ),
  };
  return (
    <PagedList
      {...rest}
      kind="lines"
      {...(isSearched ? searched : { list })}
      empty={isSearched || status !== undefined ? t('nothingFound') : rest.empty}
      beside={
        <>
          <TestMark />
          <input
            class="find"
            type="search"
            aria-label={t('searchList')}
            placeholder={t('searchList')}
            value={find ?? ''}
            onInput={({ currentTarget }) =>
              go(withFound({ status, find: currentTarget.value || undefined }), { replace: true })
            }
          />
          <div class="chips whole">
            {[undefined, ...statuses].map((one) => (
              <button
                type="button"
                class="chip"
                key={one ?? ''}
                aria-pressed={status === one}
                onClick={() => go(withFound({ status: one, find }))}
              >
                {one === undefined ? t('all') : statusName(one)}
              </button>
            ))}
          </div>
        </>
      }
    />
  );
}
