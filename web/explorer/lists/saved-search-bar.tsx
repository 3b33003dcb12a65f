import { useSignal } from '@preact/signals';
import { StaveApiError, type StaveClient } from '#client';
import { go, viewOf } from '../browse/location.ts';
import { NameSearch } from '../browse/name-search.tsx';
import { queryOf } from '../browse/saved-query.ts';
import { announce } from '../shell/announcement.tsx';
import { Failure } from '../shell/failure.tsx';
import { Link } from '../shell/link.tsx';
import { session } from '../shell/session.ts';
import { useIsShown } from '../shell/use-is-shown.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { t } from '../texts/texts.ts';
import { DeleteButton } from './delete-button.tsx';
import { BackAndTitle } from './list-bar.tsx';
import { summaryOfBody } from './saved-searches.tsx';

/** The name of a saved search, and what can be done with it. */
export function SavedSearchBar({ id }: { id: string }) {
  const {
    data,
    failure: notLoaded,
    reload,
  } = useLoaded(`saved search ${id}`, (stave, signal) =>
    stave.showSavedSearch({ id }, { signal }).then(),
  );
  const failure = useSignal<unknown>(undefined);
  const isShown = useIsShown();
  const attempt = async (change: (stave: StaveClient) => Promise<void>) => {
    failure.value = undefined;
    try {
      await change(session.peek()!.stave);
    } catch (error) {
      failure.value = error;
    }
  };
  const query = data && queryOf(data.search);
  return (
    <div class="result">
      <BackAndTitle
        back={viewOf({ list: 'saved-searches' })}
        title={data?.name ?? t('savedSearch')}
      />
      {data !== undefined && data.newCount > 0 && (
        <button
          type="button"
          class="quiet"
          onClick={() =>
            attempt(async (stave) => {
              await stave.markSavedSearchSeen({ id });
              announce(t('markedAsSeen'));
              reload();
            })
          }
        >
          {t('markAsSeen', { n: data.newCount })}
        </button>
      )}
      {query && (
        <Link view={{ ...viewOf({ list: 'search' }), query }} class="button">
          {t('openInCatalog')}
        </Link>
      )}
      {data && (
        <DeleteButton
          remove={() =>
            attempt(async (stave) => {
              await stave.deleteSavedSearch({ id, ifMatch: '*' });
              announce(t('searchDeleted'));
              if (!isShown()) return;
              go(viewOf({ list: 'saved-searches' }), { replace: true });
            })
          }
        />
      )}
      {data && (
        <NameSearch
          label={t('renameSearch')}
          name={data.name}
          submit={t('rename')}
          save={async (name) => {
            await session.peek()!.stave.updateSavedSearch({ id, ifMatch: '*', name });
            announce(t('searchRenamed'));
            reload();
          }}
        >
          {t('rename')}
        </NameSearch>
      )}
      {data && <p class="description">{summaryOfBody(data.search)}</p>}
      {failure.value !== undefined && <Failure error={failure.value} />}
      {/* The list says that the search does not exist. */}
      {notLoaded !== undefined && !isNotFound(notLoaded) && (
        <Failure error={notLoaded} retry={reload} />
      )}
    </div>
  );
}

function isNotFound(error: unknown): boolean {
  return error instanceof StaveApiError && error.type === 'not_found';
}
