import { go, view, viewOf, withPanel } from '../browse/location.ts';
import { SearchBox } from '../browse/search-box.tsx';
import { cart } from '../buying/cart.ts';
import { t } from '../texts/texts.ts';
import { isHelpOpen, isSidebarOpen } from './dialogs.ts';
import { Icon } from './icon.tsx';
import { Link } from './link.tsx';
import { remaining } from './request-log.ts';
import { may, session, signOut } from './session.ts';
import { isDark, toggleTheme } from './theme.ts';

export function Header() {
  const { me } = session.value!;
  return (
    <header class="top">
      <button
        type="button"
        class="bare only-narrow"
        aria-label="Lists and filters"
        aria-expanded={isSidebarOpen.value}
        onClick={() => {
          isSidebarOpen.value = !isSidebarOpen.value;
        }}
      >
        <Icon name="filter" />
      </button>
      <Link view={viewOf({ list: 'search' })} class="brand" aria-label="Stave, catalog">
        <span class="mark" aria-hidden="true" />
        <span class="only-wide">Stave</span>
      </Link>
      <SearchBox />
      <div class="tools">
        {may('licensing') && <CartButton />}
        <LogButton />
        <button
          type="button"
          class="bare"
          aria-label={isDark.value ? 'Light colors' : 'Dark colors'}
          onClick={toggleTheme}
        >
          <Icon name={isDark.value ? 'sun' : 'moon'} />
        </button>
        <button
          type="button"
          class="bare only-wide"
          aria-label="Help"
          onClick={() => {
            isHelpOpen.value = true;
          }}
        >
          <Icon name="help" />
        </button>
        <span class="client only-wide" title={`${me.clientId}, ${me.mode} mode`}>
          <span class="client-name">{me.name}</span>{' '}
          <span class={`mode ${me.mode}`}>{me.mode}</span>
        </span>
        <button type="button" class="bare" aria-label={`Sign out ${me.name}`} onClick={signOut}>
          <Icon name="leave" />
        </button>
      </div>
    </header>
  );
}

/** Opens the cart, and shows how many tracks are in it. */
function CartButton() {
  const isOpen = view.value.panel === 'cart';
  const { length } = cart.value;
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`${t('cart')}, ${t('countTracks', { n: length })}`}
      aria-pressed={isOpen}
      onClick={() => go(withPanel(isOpen ? undefined : 'cart'))}
    >
      <Icon name="cart" />
      {length > 0 && <span class="number">{length}</span>}
    </button>
  );
}

/** Opens the request log, and shows how many requests are left. */
function LogButton() {
  const isOpen = view.value.panel === 'log';
  const { limit } = session.value!.me.rateLimit;
  const left = remaining.value;
  return (
    <button
      type="button"
      class="quiet"
      aria-label={`Request log${left === null ? '' : `, ${left} of ${limit} requests left`}`}
      aria-pressed={isOpen}
      onClick={() => go(withPanel(isOpen ? undefined : 'log'))}
    >
      <Icon name="log" />
      <span class="only-wide number">{left === null ? '' : left.toLocaleString()}</span>
    </button>
  );
}
