import { useEffect, useRef } from 'preact/hooks';
import { HomeShelf } from '../browse/home-shelf.tsx';
import { view } from '../browse/location.ts';
import { NoTracks } from '../browse/no-tracks.tsx';
import { ResultBar } from '../browse/result-bar.tsx';
import { LicensePage, Licenses, QuotePage, Quotes } from '../buying/lazy.ts';
import { ExampleBar } from '../example/example-bar.tsx';
import { visible, wanted } from '../list/shown-list.ts';
import { TrackList } from '../list/track-list.tsx';
import { Collections } from '../lists/collections.tsx';
import { ListBar } from '../lists/list-bar.tsx';
import { Playlists } from '../lists/playlists.tsx';
import { SavedSearchBar } from '../lists/saved-search-bar.tsx';
import { SavedSearches } from '../lists/saved-searches.tsx';
import { t } from '../texts/texts.ts';
import { Failure } from './failure.tsx';

/** The middle of the page: a list of tracks, or a list of lists. */
export function Main() {
  const main = useRef<HTMLElement>(null);
  // After signing in, the next Tab continues here.
  useEffect(() => main.current?.querySelector('h1')?.focus(), []);
  return (
    <main class="main" ref={main}>
      <LeftOut />
      <Content />
    </main>
  );
}

/** Says which parts of the address the page does not show. */
function LeftOut() {
  const { leftOut } = view.value;
  return leftOut === undefined ? null : (
    <p class="failure" role="alert">
      {t('leftOut', { names: leftOut.join(', ') })}
    </p>
  );
}

function Content() {
  const { shown } = view.value;
  switch (shown.list) {
    case 'playlists':
      return <Playlists />;
    case 'collections':
      return <Collections />;
    case 'saved-searches':
      return <SavedSearches />;
    case 'quotes':
      return <Quotes />;
    case 'licenses':
      return <Licenses />;
    case 'quote':
      return <QuotePage key={shown.of} id={shown.of} />;
    case 'license':
      return <LicensePage key={shown.of} number={shown.of} />;
    case 'saved-search':
      return (
        <>
          <SavedSearchBar key={shown.of} id={shown.of} />
          <Tracks label={t('tracksOfSearch')} />
        </>
      );
    case 'by-audio':
      return (
        <>
          <ExampleBar />
          <Tracks label={t('tracksLikeFile')} />
        </>
      );
    case 'search':
      return (
        <>
          <ResultBar />
          <HomeShelf />
          <Tracks label={t('tracksFound')} />
        </>
      );
    default:
      return (
        <>
          <ListBar key={shown.list + shown.of} shown={shown} />
          <Tracks label={t('tracksOfList')} />
        </>
      );
  }
}

function Tracks({ label }: { label: string }) {
  const pages = visible.value;
  // The analysis takes a while, in which the tracks before would be taken for its result.
  const isAnalyzed = view.value.shown.list !== 'by-audio' || wanted.value === pages;
  if (pages === undefined || !isAnalyzed) {
    return <p class="empty">{wanted.value === undefined ? '' : t('loading')}</p>;
  }
  if (pages.total.value === undefined && pages.failure.value !== undefined) {
    return <Failure error={pages.failure.value} retry={() => pages.retry(0, 0)} />;
  }
  if (pages.total.value === 0) return <NoTracks />;
  return <TrackList key={pages.key} pages={pages} label={label} />;
}
