import { useSignal } from '@preact/signals';
import { go, viewOf } from '../browse/location.ts';
import { clock } from '../list/time.ts';
import { announce } from '../shell/announcement.tsx';
import { Failure } from '../shell/failure.tsx';
import { Icon } from '../shell/icon.tsx';
import { Link } from '../shell/link.tsx';
import { session } from '../shell/session.ts';
import { t } from '../texts/texts.ts';
import { PagedList } from './paged-list.tsx';
import { PAGE_SIZE, usePaged } from './use-paged.ts';

/** The collections of the client, and those that others share with it. */
export function Collections() {
  const list = usePaged('collections', (stave, page, signal) =>
    stave.listCollections({ page, pageSize: PAGE_SIZE }, { signal }),
  );
  return (
    <PagedList
      title={t('collections')}
      noun="countCollections"
      kind="lines"
      list={list}
      beside={<NewCollection />}
      empty={t('noCollections')}
    >
      {({ id, name, description, trackCount, durationSeconds, owner, sharedWith }) => (
        <li key={id}>
          <Link view={viewOf({ list: 'collection', of: id })} class="line">
            <Icon name="folder" />
            <span class="names">
              <span class="name">{name}</span>
              <span class="artists">{description}</span>
            </span>
            <span class="meta">
              {t('countTracks', { n: trackCount })} · {clock(durationSeconds)}
              {!owner && ` · ${t('sharedWithYou')}`}
              {sharedWith > 0 && ` · ${t('sharedWith', { n: sharedWith })}`}
            </span>
          </Link>
        </li>
      )}
    </PagedList>
  );
}

function NewCollection() {
  const failure = useSignal<unknown>(undefined);
  const create = async (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const name = (form.elements.namedItem('name') as HTMLInputElement).value.trim();
    failure.value = undefined;
    try {
      const { id } = await session.peek()!.stave.createCollection({ name });
      go(viewOf({ list: 'collection', of: id }));
      announce(t('collectionCreated'));
    } catch (error) {
      failure.value = error;
    }
  };
  return (
    <>
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
      {failure.value !== undefined && <Failure error={failure.value} />}
    </>
  );
}
