import { useSignal } from '@preact/signals';
import type { StaveClient } from '#client';
import { go, viewOf } from '../browse/location.ts';
import { CodeButton } from '../browse/result-bar.tsx';
import { queryOf } from '../browse/saved-query.ts';
import { Failure } from '../shell/failure.tsx';
import { Link } from '../shell/link.tsx';
import { session } from '../shell/session.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { BackAndTitle } from './list-bar.tsx';
import { summaryOfBody } from './saved-searches.tsx';

/** The name of a saved search, and what can be done with it. */
export function SavedSearchBar({ id }: { id: string }) {
  // A failure is shown by the list itself.
  const { data, reload } = useLoaded(`saved search ${id}`, (stave, signal) =>
    stave.showSavedSearch({ id }, { signal }).then(),
  );
  const failure = useSignal<unknown>(undefined);
  const attempt = async (change: (stave: StaveClient) => Promise<void>) => {
    failure.value = undefined;
    try {
      await change(session.peek()!.stave);
    } catch (error) {
      failure.value = error;
    }
  };
  const list = viewOf({ list: 'saved-searches' });
  const query = data && queryOf(data.search);
  return (
    <div class="result">
      <BackAndTitle back={list} title={data?.name ?? 'Saved search'} />
      {data !== undefined && data.newCount > 0 && (
        <button
          type="button"
          class="quiet"
          onClick={() =>
            attempt(async (stave) => {
              await stave.markSavedSearchSeen({ id });
              reload();
            })
          }
        >
          Mark {data.newCount.toLocaleString()} as seen
        </button>
      )}
      {query && (
        <Link view={{ ...viewOf({ list: 'search' }), query }} class="button">
          Change
        </Link>
      )}
      {data && (
        <DeleteButton
          remove={() =>
            attempt(async (stave) => {
              await stave.deleteSavedSearch({ id, ifMatch: '*' });
              go(list, { replace: true });
            })
          }
        />
      )}
      <CodeButton />
      {data && <p class="description">{summaryOfBody(data.search)}</p>}
      {failure.value !== undefined && <Failure error={failure.value} />}
    </div>
  );
}

/** Asks once more, because it cannot be undone. */
function DeleteButton({ remove }: { remove: () => void }) {
  const isAsking = useSignal(false);
  return (
    <button
      type="button"
      class={isAsking.value ? 'danger' : 'quiet'}
      onClick={() => {
        if (isAsking.value) remove();
        else isAsking.value = true;
      }}
      onBlur={() => {
        isAsking.value = false;
      }}
    >
      {isAsking.value ? 'Delete for good' : 'Delete'}
    </button>
  );
}
