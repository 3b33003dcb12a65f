import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { isInCart, toggleInCart } from '../buying/cart.ts';
import { reloadList } from '../list/shown-list.ts';
import { announce } from '../shell/announcement.tsx';
import { Failure } from '../shell/failure.tsx';
import { Icon } from '../shell/icon.tsx';
import { may, session } from '../shell/session.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { t } from '../texts/texts.ts';
import { adding } from './adding.ts';

/** Adds a track to the cart or to a collection, which may be a new one. */
export function AddDialog() {
  const dialog = useRef<HTMLDialogElement>(null);
  const track = adding.value;
  useEffect(() => {
    if (track !== undefined) dialog.current?.showModal();
  }, [track]);
  const close = () => {
    adding.value = undefined;
  };
  if (track === undefined) return null;
  return (
    <dialog ref={dialog} aria-labelledby="add-title" onClose={close}>
      <div class="panel-top">
        <h2 id="add-title">{t('saveTrack', { name: track.name })}</h2>
        <button
          type="button"
          class="bare"
          aria-label={t('close', { name: t('addTo') })}
          onClick={close}
        >
          <Icon name="close" />
        </button>
      </div>
      {may('licensing') && (
        <button
          type="button"
          class="choice-line"
          onClick={() => {
            toggleInCart(track);
            close();
          }}
        >
          <Icon name="cart" /> {t(isInCart(track.slug) ? 'removeFromCart' : 'addToCart')}
        </button>
      )}
      {may('saved-searches') && <Collections slug={track.slug} close={close} />}
    </dialog>
  );
}

function Collections({ slug, close }: { slug: string; close: () => void }) {
  const { data, failure } = useLoaded('collections to add to', (stave, signal) =>
    stave.listCollections({ pageSize: 100, shared: false }, { signal }).then(),
  );
  const problem = useSignal<unknown>(undefined);
  const { stave } = session.peek()!;
  const addTo = async (id: string, name: string) => {
    try {
      const { added } = await stave.addCollectionItems({ id, items: [{ track: slug }] });
      announce(added.length > 0 ? t('addedTo', { name }) : t('isThere'));
      reloadList();
      close();
    } catch (error) {
      problem.value = error;
    }
  };
  const create = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const name = (form.elements.namedItem('name') as HTMLInputElement).value.trim();
    try {
      const { id } = await stave.createCollection({ name });
      await addTo(id, name);
    } catch (error) {
      problem.value = error;
    }
  };
  return (
    <>
      {data?.items.map(({ id, name, trackCount }) => (
        <button type="button" class="choice-line" key={id} onClick={() => addTo(id, name)}>
          <Icon name="folder" /> <span class="names">{name}</span>
          <span class="meta">{t('countTracks', { n: trackCount })}</span>
        </button>
      ))}
      <form class="inline" onSubmit={create}>
        <input
          name="name"
          required
          maxLength={200}
          aria-label={t('nameOfCollection')}
          placeholder={t('newCollection')}
        />
        <button type="submit">{t('create')}</button>
      </form>
      {(failure ?? problem.value) !== undefined && <Failure error={failure ?? problem.value} />}
    </>
  );
}
