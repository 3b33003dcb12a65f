import { computed, effect, signal, untracked } from '@preact/signals';
import { listKey, view } from '../browse/location.ts';
import { example } from '../example/example.ts';
import { session } from '../shell/session.ts';
import { sourceOf } from './source.ts';
import { TrackPages } from './track-pages.ts';

const reloads = signal(0);

/** Requests the list again, because it has changed. */
export function reloadList(): void {
  reloads.value++;
}

/** The list that the view names; undefined if it is a list of other things, or nobody has signed in. */
export const wanted = computed(() => {
  listKey.value;
  reloads.value;
  example.value;
  const current = session.value;
  const source = current && untracked(() => sourceOf(view.value, current.stave, current.me.scopes));
  return source && new TrackPages(source);
});

/** The list that is visible: the one before until the first page of the wanted one has arrived, so that nothing flickers. */
export const visible = signal<TrackPages | undefined>(undefined);

/** The place of the row that the keys move, from 0. */
export const cursor = signal(0);

effect(() => {
  const next = wanted.value;
  if (next === undefined) {
    visible.value = undefined;
    return;
  }
  untracked(() => next.want(0, 0));
  return effect(() => {
    if (next.total.value === undefined && next.failure.value === undefined) return;
    if (untracked(() => visible.value) === next) return;
    cursor.value = 0;
    visible.value = next;
  });
});
