import { viewOf } from '../browse/location.ts';
import { queryOf } from '../browse/saved-query.ts';
import { summaryOf } from '../browse/summary.ts';
import { Icon } from '../shell/icon.tsx';
import { Link } from '../shell/link.tsx';
import { t } from '../texts/texts.ts';
import { PagedList } from './paged-list.tsx';
import { PAGE_SIZE, usePaged } from './use-paged.ts';

/** The saved searches of the client, newest first, with the numbers of tracks that are new. */
export function SavedSearches() {
  const list = usePaged('saved searches', (stave, page, signal) =>
    stave.listSavedSearches({ page, pageSize: PAGE_SIZE }, { signal }),
  );
  return (
    <PagedList
      title={t('savedSearches')}
      noun="countSearches"
      kind="lines"
      list={list}
      empty={t('noSavedSearches')}
    >
      {({ id, name, search, totalRecords, newCount }) => (
        <li key={id}>
          <Link view={viewOf({ list: 'saved-search', of: id })} class="line">
            <Icon name="bookmark" />
            <span class="names">
              <span class="name">{name}</span>
              <span class="artists">{summaryOfBody(search)}</span>
            </span>
            {newCount > 0 && <span class="badge">{t('countNew', { n: newCount })}</span>}
            <span class="meta">{t('countTracks', { n: totalRecords })}</span>
          </Link>
        </li>
      )}
    </PagedList>
  );
}

/** What a saved search looks for. */
export function summaryOfBody(search: object): string {
  const query = queryOf(search);
  return query === undefined ? t('searchOfProgram') : summaryOf(query);
}
