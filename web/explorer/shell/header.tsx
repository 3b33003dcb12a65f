import { go, view, viewOf, withPanel } from '../browse/location.ts';
import { SearchBox } from '../browse/search-box.tsx';
import { cart } from '../buying/cart.ts';
import { t } from '../texts/texts.ts';
import { isHelpOpen, isSidebarOpen } from './dialogs.ts';
import { SignOutButton, ThemeButton } from './header-buttons.tsx';
import { Icon } from './icon.tsx';
import { Link } from './link.tsx';
import { may, nameOfUser, session } from './session.ts';
import { closeSidebar, openSidebar } from './sidebar.tsx';

export function Header() {
  const { me } = session.value!;
  return (
    <header class="top">
      <button
        type="button"
        class="bare only-narrow"
        aria-label={t('listsAndFilters')}
        aria-expanded={isSidebarOpen.value}
        onClick={() => (isSidebarOpen.value ? closeSidebar() : openSidebar('nav a'))}
      >
        <Icon name="menu" />
      </button>
      <Link view={viewOf({ list: 'search' })} class="brand" aria-label={`Stave, ${t('catalog')}`}>
        <span class="mark" aria-hidden="true" />
        <span class="only-wide">Stave</span>
      </Link>
      <SearchBox />
      <div class="tools">
        {may('licensing') && <CartButton />}
        <span class="only-wide">
          <ThemeButton />
        </span>
        <button
          type="button"
          class="bare only-wide"
          aria-label={t('help')}
          onClick={() => {
            isHelpOpen.value = true;
          }}
        >
          <Icon name="help" />
        </button>
        <span class="client" title={`${me.name}, ${me.clientId}, ${me.mode}`}>
          <span class="client-name">{nameOfUser(me)}</span>{' '}
          <span class={`mode ${me.mode}`}>{me.mode}</span>
        </span>
        <span class="only-wide">
          <SignOutButton />
        </span>
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
