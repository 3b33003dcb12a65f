import { go, view, withPanel, withTrack } from '../browse/location.ts';
import { Failure } from '../shell/failure.tsx';
import { Icon } from '../shell/icon.tsx';
import { Link } from '../shell/link.tsx';
import { Panel } from '../shell/panel.tsx';
import { useLoaded } from '../shell/use-loaded.ts';
import { t } from '../texts/texts.ts';
import { cart, MAX_BOUGHT, setCart, toggleInCart } from './cart.ts';
import { QuoteForm } from './quote-form.tsx';

const close = () => go(withPanel(undefined));

/** The tracks that were put aside, and a form to license them together. */
export function CartPanel() {
  const tracks = cart.value;
  return (
    <Panel title={t('cart')} close={close}>
      {tracks.length === 0 && <p class="meta">{t('cartEmpty')}</p>}
      <ul class="parts">
        {tracks.map((track) => (
          <li key={track.slug}>
            <Link view={withTrack(track.slug)} class="name" dir="auto">
              {track.name}
            </Link>
            <button
              type="button"
              class="bare"
              aria-label={t('remove', { name: track.name })}
              onClick={() => toggleInCart(track)}
            >
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
      {tracks.length > 0 && (
        <>
          <button type="button" class="quiet" onClick={() => setCart([])}>
            {t('emptyCart')}
          </button>
          <QuoteForm tracks={tracks} />
        </>
      )}
    </Panel>
  );
}

/** A form to license all tracks of the collection that is shown. */
export function BuyPanel() {
  const { shown } = view.value;
  const id = shown.list === 'collection' ? shown.of : '';
  const { data, failure, reload } = useLoaded(`collection to buy ${id}`, (stave, signal) =>
    stave.listCollectionTracks({ id, pageSize: MAX_BOUGHT }, { signal }).then(),
  );
  return (
    <Panel title={t('licenseCollection')} close={close}>
      {failure !== undefined && <Failure error={failure} retry={reload} />}
      {data && (
        <>
          <p class="meta">
            {data.totalRecords > MAX_BOUGHT
              ? t('tooManyTracks', { n: MAX_BOUGHT })
              : t('countTracks', { n: data.totalRecords })}
          </p>
          {data.totalRecords > 0 && <QuoteForm tracks={data.items.map(({ track }) => track)} />}
        </>
      )}
    </Panel>
  );
}
