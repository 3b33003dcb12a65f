import { useSignal } from '@preact/signals';
import { go, viewOf } from '../browse/location.ts';
import { clock } from '../list/time.ts';
import { announce } from '../shell/announcement.tsx';
import { Failure } from '../shell/failure.tsx';
import { Icon } from '../shell/icon.tsx';
import { Link } from '../shell/link.tsx';
import { session } from '../shell/session.ts';
import { PagedList } from './paged-list.tsx';
import { usePaged } from './use-paged.ts';

/** The collections of the client, and those that others share with it. */
export function Collections() {
  const list = usePaged('collections', (stave, page, signal) =>
    stave.listCollections({ page, pageSize: 100 }, { signal }),
  );
  return (
    <PagedList
      title="Collections"
      noun="collection"
      kind="lines"
      list={list}
      beside={<NewCollection />}
      empty="No collections yet. Name one above, and add tracks to it from their page."
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
              {trackCount} {trackCount === 1 ? 'track' : 'tracks'} · {clock(durationSeconds)}
              {!owner && ' · shared with you'}
              {sharedWith > 0 && ` · shared with ${sharedWith}`}
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
      announce('Collection created.');
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
          aria-label="Name of a new collection"
          placeholder="New collection"
        />
        <button type="submit">Create</button>
      </form>
      {failure.value !== undefined && <Failure error={failure.value} />}
    </>
  );
}
