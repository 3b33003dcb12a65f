import { Filters } from '../browse/filters.tsx';
import { view, viewOf } from '../browse/location.ts';
import type { Shown } from '../browse/view.ts';
import { isSidebarOpen } from './dialogs.ts';
import { focusHeading } from './focus.ts';
import { Icon, type IconName } from './icon.tsx';
import { LanguageChoice } from './language-choice.tsx';
import { Link } from './link.tsx';
import { may } from './session.ts';

function close(): void {
  if (!isSidebarOpen.value) return;
  isSidebarOpen.value = false;
  // It covers the heading until then.
  requestAnimationFrame(focusHeading);
}

/** The lists, and the filters of the search. On narrow screens it covers the page when it is asked for. */
export function Sidebar() {
  const { list } = view.value.shown;
  const isSearch = list === 'search';
  return (
    <div class={isSidebarOpen.value ? 'sidebar open' : 'sidebar'}>
      <div class="sidebar-body">
        <nav aria-label="Lists">
          <Item shown={{ list: 'search' }} icon="library" text="Catalog" isHere={isSearch} />
          {may('similar') && (
            <Item
              shown={{ list: 'by-audio' }}
              icon="sound"
              text="Sounds like a file"
              isHere={list === 'by-audio'}
            />
          )}
          {may('playlists') && (
            <Item
              shown={{ list: 'playlists' }}
              icon="list"
              text="Playlists"
              isHere={list === 'playlists' || list === 'playlist'}
            />
          )}
          {may('saved-searches') && (
            <Item
              shown={{ list: 'collections' }}
              icon="folder"
              text="Collections"
              isHere={list === 'collections' || list === 'collection'}
            />
          )}
          {may('saved-searches') && (
            <Item
              shown={{ list: 'saved-searches' }}
              icon="bookmark"
              text="Saved searches"
              isHere={list === 'saved-searches' || list === 'saved-search'}
            />
          )}
          {may('licensing') && (
            <Item
              shown={{ list: 'quotes' }}
              icon="receipt"
              text="Quotes"
              isHere={list === 'quotes' || list === 'quote'}
            />
          )}
          {may('licensing') && (
            <Item
              shown={{ list: 'licenses' }}
              icon="license"
              text="Licenses"
              isHere={list === 'licenses' || list === 'license'}
            />
          )}
        </nav>
        {isSearch && <Filters />}
      </div>
      {may('localization') && <LanguageChoice />}
      <button type="button" class="primary only-narrow" onClick={close}>
        Show the tracks
      </button>
    </div>
  );
}

function Item({
  shown,
  icon,
  text,
  isHere,
}: {
  shown: Shown;
  icon: IconName;
  text: string;
  isHere: boolean;
}) {
  return (
    <Link view={viewOf(shown)} onFollow={close} aria-current={isHere ? 'page' : undefined}>
      <Icon name={icon} /> {text}
    </Link>
  );
}
