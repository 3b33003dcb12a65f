import { useSignal } from '@preact/signals';
import { useEffect } from 'preact/hooks';
import type { StaveClient } from '#client';
import { chosenLanguage } from '../shell/session.ts';
import { type Loaded, useLoaded } from '../shell/use-loaded.ts';

interface AnyPage<Item> {
  totalRecords: number;
  items: Item[];
}

/** The pages of a list that were loaded so far. */
export interface Paged<Item> {
  items: Item[];
  total: number | undefined;
  failure: unknown;
  /** Undefined if there is no more. */
  more: (() => void) | undefined;
  reload(): void;
}

/** A list that grows by a page when the visitor asks for more. */
export function usePaged<Item>(
  key: string,
  load: (stave: StaveClient, page: number, signal: AbortSignal) => PromiseLike<AnyPage<Item>>,
): Paged<Item> {
  const page = useSignal(1);
  const items = useSignal<Item[]>([]);
  const { data, failure, reload }: Loaded<AnyPage<Item>> = useLoaded(
    `${key} ${page.value}`,
    async (stave, signal) => load(stave, page.peek(), signal),
  );
  useEffect(() => {
    if (data !== undefined)
      items.value = page.peek() === 1 ? data.items : [...items.peek(), ...data.items];
  }, [data]);
  // Pages in two languages do not belong together.
  const language = chosenLanguage();
  useEffect(() => {
    page.value = 1;
  }, [language]);
  const hasMore = data !== undefined && items.value.length < data.totalRecords;
  return {
    items: items.value,
    total: data?.totalRecords,
    failure,
    more: hasMore ? () => page.value++ : undefined,
    reload: () => {
      page.value = 1;
      reload();
    },
  };
}
