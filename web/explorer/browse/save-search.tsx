import { useSignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import { announce } from '../shell/announcement.tsx';
import { Failure } from '../shell/failure.tsx';
import { Icon } from '../shell/icon.tsx';
import { session } from '../shell/session.ts';
import { useIsShown } from '../shell/use-is-shown.ts';
import { go, viewOf } from './location.ts';
import { bodyOf } from './saved-query.ts';
import type { Query } from './view.ts';

/** Saves the present search under a name, and shows it then. */
export function SaveSearch({ query }: { query: Query }) {
  const isOpen = useSignal(false);
  const failure = useSignal<unknown>(undefined);
  const button = useRef<HTMLButtonElement>(null);
  const field = useRef<HTMLInputElement>(null);
  // Before the visitor can type.
  useLayoutEffect(() => field.current?.focus(), [isOpen.value]);
  const isShown = useIsShown();
  const save = async (event: SubmitEvent) => {
    event.preventDefault();
    const { stave } = session.peek()!;
    const name = field.current!.value.trim();
    failure.value = undefined;
    try {
      const { id } = await stave.createSavedSearch({ name, search: bodyOf(query) });
      announce('Search saved.');
      if (!isShown()) return;
      go(viewOf({ list: 'saved-search', of: id }));
    } catch (error) {
      failure.value = error;
    }
  };
  const cancel = (event: KeyboardEvent) => {
    if (event.key !== 'Escape') return;
    // The page would close what is beside the list.
    event.stopPropagation();
    isOpen.value = false;
    button.current?.focus();
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="quiet"
        aria-label="Save search"
        aria-expanded={isOpen.value}
        onClick={() => {
          isOpen.value = !isOpen.value;
          failure.value = undefined;
        }}
      >
        <Icon name="bookmark" /> <span class="only-wide">Save</span>
      </button>
      {isOpen.value && (
        <form class="inline whole" onSubmit={save} onKeyDown={cancel}>
          <input
            ref={field}
            required
            maxLength={200}
            aria-label="Name of the saved search"
            placeholder="Name of this search"
            defaultValue={query.search}
          />
          <button type="submit" class="primary">
            Save
          </button>
        </form>
      )}
      {isOpen.value && failure.value !== undefined && <Failure error={failure.value} />}
    </>
  );
}
