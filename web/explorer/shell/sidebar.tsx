import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import { Filters } from '../browse/filters.tsx';
import { go, view, viewOf, withPanel } from '../browse/location.ts';
import type { Shown } from '../browse/view.ts';
import { type Key, t } from '../texts/texts.ts';
import { isSidebarOpen } from './dialogs.ts';
import { focusHeading } from './focus.ts';
import { SignOutButton, ThemeButton } from './header-buttons.tsx';
import { Icon, type IconName } from './icon.tsx';
import { LanguageChoice } from './language-choice.tsx';
import { Link } from './link.tsx';
import { PageLanguage } from './page-language.tsx';
import { remaining } from './request-log.ts';
import { may, session } from './session.ts';

/** Covers the page with the lists and filters on narrow screens, and moves the focus to an element of them. */
export function openSidebar(first: string): void {
  isSidebarOpen.value = true;
  requestAnimationFrame(() => {
    document.querySelector<HTMLElement>(`.sidebar ${first}`)?.focus();
  });
}

export function closeSidebar(): void {
  if (!isSidebarOpen.value) return;
  isSidebarOpen.value = false;
  // It covers the heading until then.
  requestAnimationFrame(focusHeading);
}

/** The places of the navigation: a list, what else belongs to it, and the scope that it needs. */
const PLACES: readonly {
  shown: Shown;
  part?: Shown['list'];
  icon: IconName;
  text: Key;
  scope?: Parameters<typeof may>[0];
}[] = [
  { shown: { list: 'search' }, icon: 'library', text: 'catalog' },
  { shown: { list: 'by-audio' }, icon: 'sound', text: 'soundsLikeFile', scope: 'similar' },
  {
    shown: { list: 'playlists' },
    ...{ part: 'playlist', icon: 'list', text: 'playlists', scope: 'playlists' },
  },
  {
    shown: { list: 'collections' },
    ...{ part: 'collection', icon: 'folder', text: 'collections', scope: 'saved-searches' },
  },
  {
    shown: { list: 'saved-searches' },
    ...{ part: 'saved-search', icon: 'bookmark', text: 'savedSearches', scope: 'saved-searches' },
  },
  {
    shown: { list: 'quotes' },
    ...{ part: 'quote', icon: 'receipt', text: 'quotes', scope: 'licensing' },
  },
  {
    shown: { list: 'licenses' },
    ...{ part: 'license', icon: 'license', text: 'licenses', scope: 'licensing' },
  },
];

/** The lists, and the filters of the search. On narrow screens it covers the page when it is asked for. */
export function Sidebar() {
  const { list } = view.value.shown;
  return (
    <div class={isSidebarOpen.value ? 'sidebar open' : 'sidebar'}>
      <div class="sidebar-body">
        <nav aria-label={t('lists')}>
          {PLACES.filter(({ scope }) => scope === undefined || may(scope)).map((place) => (
            <Link
              key={place.shown.list}
              view={{ ...viewOf(place.shown), panel: undefined }}
              onFollow={closeSidebar}
              aria-current={list === place.shown.list || list === place.part ? 'page' : undefined}
            >
              <Icon name={place.icon} /> {t(place.text)}
            </Link>
          ))}
        </nav>
        {list === 'search' && <Filters />}
      </div>
      {may('localization') && <LanguageChoice />}
      <section aria-label={t('settings')}>
        <PageLanguage />
        <div class="account only-narrow">
          <ThemeButton hasText />
          <SignOutButton hasText />
        </div>
        <Developer />
      </section>
      <button type="button" class="primary only-narrow" onClick={closeSidebar}>
        {t('showTracks')}
      </button>
    </div>
  );
}

/** What only programmers need: the requests of the page, how many are left, and code. */
function Developer() {
  const isOpen = useSignal(false);
  const id = useId();
  const { limit } = session.value!.me.rateLimit;
  const left = remaining.value ?? limit;
  const { panel } = view.value;
  const open = (next: 'log' | 'code') => {
    isSidebarOpen.value = false;
    go(withPanel(panel === next ? undefined : next));
  };
  return (
    <div class="developer">
      <button
        type="button"
        class="quiet"
        aria-expanded={isOpen.value}
        aria-controls={id}
        onClick={() => {
          isOpen.value = !isOpen.value;
        }}
      >
        <Icon name="code" /> {t('developer')}
      </button>
      <div id={id} hidden={!isOpen.value}>
        <button
          type="button"
          class="quiet"
          aria-pressed={panel === 'log'}
          onClick={() => open('log')}
        >
          <Icon name="log" /> {t('requestLog')}, {t('requestsOf', { n: left, limit })}
        </button>
        <button
          type="button"
          class="quiet"
          aria-pressed={panel === 'code'}
          onClick={() => open('code')}
        >
          <Icon name="code" /> {t('code')}
        </button>
        <a href="docs" target="_blank" rel="noreferrer">
          {t('reference')}
        </a>
      </div>
    </div>
  );
}
