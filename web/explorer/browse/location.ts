import { computed, signal } from '@preact/signals';
import { formatView, parseView, type Query, type Shown, type View } from './view.ts';

/** The view that the address of the page names. */
export const view = signal(parseView(location.search));

addEventListener('popstate', () => {
  view.value = parseView(location.search);
});

/** Shows a view. With `replace`, the view before it gets no entry in the history, as during typing. */
export function go({ leftOut: _, ...next }: View, { replace = false } = {}): void {
  const address = hrefOf(next);
  const { leftOut, ...before } = view.peek();
  if (leftOut === undefined && address === hrefOf(before)) return;
  history[replace ? 'replaceState' : 'pushState'](null, '', address);
  view.value = next;
}

/** The address of a view, relative to the page. */
export function hrefOf(next: View): string {
  return location.pathname + formatView(next);
}

/** Changes some members of the query, and shows the search. */
export function refine(change: Partial<Query>, options?: { replace?: boolean }): void {
  const before = view.peek();
  const query = { ...before.query, ...change };
  go({ ...before, shown: { list: 'search' }, query, track: undefined }, options);
}

/** The view of a list, with the query kept. */
export function viewOf(shown: Shown): View {
  return { ...view.value, shown, track: undefined, status: undefined, find: undefined };
}

/** The view with another track, or with none. A track takes the place of a panel. */
export function withTrack(track: string | undefined): View {
  return { ...view.value, track, panel: undefined };
}

/** The view with another panel, or with none. */
export function withPanel(panel: View['panel']): View {
  return { ...view.value, panel };
}

/** The view with other quotes or licenses of its list. */
export function withFound(found: Pick<View, 'status' | 'find'>): View {
  return { ...view.value, ...found };
}

/** The view with the names in another language, or in that of the browser. */
export function withLanguage(language: string | undefined): View {
  return { ...view.value, language };
}

/** What identifies the list of tracks of the view: whatever else changes, the list stays. */
export const listKey = computed(() => {
  const { shown, query, language } = view.value;
  return formatView({
    shown,
    query: shown.list === 'search' ? query : {},
    language,
  });
});
