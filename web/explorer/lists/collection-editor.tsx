import { useSignal } from '@preact/signals';
import type { StaveClient } from '#client';
import { go, viewOf, withPanel } from '../browse/location.ts';
import { reloadList } from '../list/shown-list.ts';
import { announce } from '../shell/announcement.tsx';
import { Failure } from '../shell/failure.tsx';
import { Icon } from '../shell/icon.tsx';
import { Panel } from '../shell/panel.tsx';
import { session } from '../shell/session.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { t } from '../texts/texts.ts';
import { DeleteButton } from './delete-button.tsx';

const PAGE_SIZE = 100;

/** Edits a collection of the client: its name, and the order, notes and removal of its tracks. */
export function CollectionEditor({ id }: { id: string }) {
  const page = useSignal(1);
  const heading = useLoaded(`collection heading ${id}`, (stave, signal) =>
    stave.showCollection({ id }, { signal }).then(),
  );
  const tracks = useLoaded(`collection tracks ${id} ${page.value}`, (stave, signal) =>
    stave.listCollectionTracks({ id, page: page.peek(), pageSize: PAGE_SIZE }, { signal }).then(),
  );
  const failure = useSignal<unknown>(undefined);
  const attempt = async (change: (stave: StaveClient) => Promise<unknown>, told: string) => {
    failure.value = undefined;
    try {
      await change(session.peek()!.stave);
      announce(told);
      tracks.reload();
      reloadList();
    } catch (error) {
      failure.value = error;
    }
  };
  const edit = (trackId: string, change: { note?: string; position?: number }) =>
    attempt(
      (stave) => stave.updateCollectionItem({ id, trackId, ifMatch: '*', ...change }),
      t('saved'),
    );
  const total = tracks.data?.totalRecords ?? 0;
  const problem = failure.value ?? heading.failure ?? tracks.failure;
  return (
    <Panel title={t('editCollection')} close={() => go(withPanel(undefined))}>
      {problem !== undefined && <Failure error={problem} />}
      {heading.data && (
        <Names
          {...heading.data}
          save={(names) =>
            attempt((stave) => stave.updateCollection({ id, ifMatch: '*', ...names }), t('saved'))
          }
        />
      )}
      <ol class="items">
        {tracks.data?.items.map(({ track, note }, i) => {
          const position = (page.value - 1) * PAGE_SIZE + i + 1;
          return (
            <li key={track.id}>
              <span class="name" dir="auto">
                {track.name}
              </span>
              <Move
                name={track.name}
                isFirst={position === 1}
                isLast={position === total}
                by={(step) => edit(track.id, { position: position + step })}
                remove={() =>
                  attempt(
                    (stave) => stave.removeCollectionItems({ id, tracks: [track.id] }),
                    t('removed'),
                  )
                }
              />
              <input
                aria-label={t('noteOn', { name: track.name })}
                placeholder={t('note')}
                maxLength={1000}
                defaultValue={note}
                onChange={({ currentTarget }) => edit(track.id, { note: currentTarget.value })}
              />
            </li>
          );
        })}
      </ol>
      {total > PAGE_SIZE && (
        <div class="actions">
          <button type="button" disabled={page.value === 1} onClick={() => page.value--}>
            {t('previousPage')}
          </button>
          <button
            type="button"
            disabled={page.value * PAGE_SIZE >= total}
            onClick={() => page.value++}
          >
            {t('nextPage')}
          </button>
        </div>
      )}
      <DeleteButton
        remove={() =>
          attempt(async (stave) => {
            await stave.deleteCollection({ id, ifMatch: '*' });
            go({ ...viewOf({ list: 'collections' }), panel: undefined }, { replace: true });
          }, t('collectionDeleted'))
        }
      />
    </Panel>
  );
}

function Names({
  name,
  description,
  save,
}: {
  name: string;
  description: string;
  save: (names: { name?: string; description?: string }) => void;
}) {
  return (
    <div class="quote">
      <label>
        {t('name')}
        <input
          defaultValue={name}
          required
          maxLength={200}
          onChange={({ currentTarget }) => save({ name: currentTarget.value.trim() })}
        />
      </label>
      <label>
        {t('description')}
        <input
          defaultValue={description}
          maxLength={1000}
          onChange={({ currentTarget }) => save({ description: currentTarget.value.trim() })}
        />
      </label>
    </div>
  );
}

function Move({
  name,
  isFirst,
  isLast,
  by,
  remove,
}: {
  name: string;
  isFirst: boolean;
  isLast: boolean;
  by: (step: number) => void;
  remove: () => void;
}) {
  return (
    <span class="moves">
      <button
        type="button"
        class="bare"
        disabled={isFirst}
        aria-label={t('moveUp', { name })}
        onClick={() => by(-1)}
      >
        <Icon name="up" />
      </button>
      <button
        type="button"
        class="bare"
        disabled={isLast}
        aria-label={t('moveDown', { name })}
        onClick={() => by(1)}
      >
        <Icon name="down" />
      </button>
      <button type="button" class="bare" aria-label={t('remove', { name })} onClick={remove}>
        <Icon name="close" />
      </button>
    </span>
  );
}
