import { isScrolled } from '../list/track-list.tsx';
import { Link } from '../shell/link.tsx';
import { may } from '../shell/session.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { t } from '../texts/texts.ts';
import { view, viewOf } from './location.ts';
import { restrictions } from './view.ts';

/** How many playlists the shelf has; the list of playlists has all. */
const COUNT = 12;

/** The playlists of the licensor as covers, above what is new, while nothing is searched and nothing is scrolled. */
export function HomeShelf() {
  const { search, brief, sort } = view.value.query;
  const isHome = !search && !brief && !sort && restrictions(view.value.query) === 0;
  return isHome && may('playlists') ? <Shelf /> : null;
}

function Shelf() {
  // A failure is shown by the list of playlists.
  const { data } = useLoaded('shelf', (stave, signal) =>
    stave.listPlaylists({ pageSize: COUNT }, { signal }).then(),
  );
  if (data === undefined || data.totalRecords === 0) return null;
  return (
    <section class={isScrolled.value ? 'shelf folded' : 'shelf'} aria-label={t('playlists')}>
      <ul>
        {data.items.map(({ id, slug, name, artworkUrl, trackCount }) => (
          <li key={id}>
            <Link view={viewOf({ list: 'playlist', of: slug })} class="card-link">
              <img src={artworkUrl} alt="" width="112" height="112" />
              <span class="name">{name}</span>
              <span class="meta">{t('countTracks', { n: trackCount })}</span>
            </Link>
          </li>
        ))}
        {data.totalRecords > COUNT && (
          <li>
            <Link view={viewOf({ list: 'playlists' })} class="button">
              {t('allCount', { n: data.totalRecords })}
            </Link>
          </li>
        )}
      </ul>
      <h2>{t('newInCatalog')}</h2>
    </section>
  );
}
