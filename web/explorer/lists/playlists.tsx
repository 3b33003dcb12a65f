import { viewOf } from '../browse/location.ts';
import { clock } from '../list/time.ts';
import { Link } from '../shell/link.tsx';
import { t } from '../texts/texts.ts';
import { PagedList } from './paged-list.tsx';
import { PAGE_SIZE, usePaged } from './use-paged.ts';

/** The playlists that are granted to the client. */
export function Playlists() {
  const list = usePaged('playlists', (stave, page, signal) =>
    stave.listPlaylists({ page, pageSize: PAGE_SIZE }, { signal }),
  );
  return (
    <PagedList
      title={t('playlists')}
      noun="countPlaylists"
      kind="cards"
      list={list}
      empty={t('noPlaylists')}
    >
      {({ id, slug, name, description, artworkUrl, trackCount, durationSeconds }) => (
        <li key={id}>
          <Link view={viewOf({ list: 'playlist', of: slug })} class="card-link">
            <img src={artworkUrl} alt="" width="160" height="160" loading="lazy" />
            <span class="name">{name}</span>
            <span class="meta">
              {t('countTracks', { n: trackCount })} · {clock(durationSeconds)}
            </span>
            <span class="meta text">{description}</span>
          </Link>
        </li>
      )}
    </PagedList>
  );
}
