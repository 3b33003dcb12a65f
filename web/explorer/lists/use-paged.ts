import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StaveClient } from '#client';
import { chosenLanguage } from '../shell/session.ts';
import { type Loaded, useLoaded } from '../shell/use-loaded.ts';

/** The records of each page that is requested. */
export const PAGE_SIZE = 100;

interface AnyPage<Item> {
  totalRecords: number;
  items: Item[];
}

/** The pages of a list that were loaded so far. */
export interface Paged<Item> {
  items: Item[];
  total: number | undefined;
  failure: unknown;
  /** Undefined if there is no more, or while it is on its way. */
  more: (() => void) | undefined;
  reload(): void;
}

interface LoadedPages<Item> {
  list: string;
  pages: number;
  total: number;
  items: Item[];
}

/** A list that grows by a page at a time. It begins anew when its key or the language changes. */
export function usePaged<Item>(
  key: string,
  load: (stave: StaveClient, page: number, signal: AbortSignal) => PromiseLike<AnyPage<Item>>,
): Paged<Item> {
  // Pages in two languages do not belong together.
  const list = `${key} ${chosenLanguage()}`;
  const state = useSignal({ list, page: 1 });
  const page = state.value.list === list ? state.value.page : 1;
  const loaded = useSignal<LoadedPages<Item>>({ list, pages: 0, total: 0, items: [] });
  const { data, failure, reload }: Loaded<AnyPage<Item>> = useLoaded(
    `${key} ${page}`,
    async (stave, signal) => load(stave, page, signal),
  );
  useEffect(() => {
    if (data === undefined) return;
    const before = page === 1 ? [] : loaded.peek().items;
    const total = data.totalRecords;
    loaded.value = { list, pages: page, total, items: [...before, ...data.items] };
  }, [data]);
  const { list: shown, pages, total, items } = loaded.value;
  const isThis = shown === list && pages > 0;
  const hasMore = isThis && pages === page && items.length < total;
  return {
    items: isThis ? items : [],
    total: isThis ? total : undefined,
    failure,
    more: hasMore
      ? () => {
          state.value = { list, page: page + 1 };
        }
      : undefined,
    reload: () => {
      state.value = { list, page: 1 };
      reload();
    },
  };
}
