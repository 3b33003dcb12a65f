import { useSignal } from '@preact/signals';
import { view } from '../browse/location.ts';
import { reloadList } from '../list/shown-list.ts';
import { Failure } from '../shell/failure.tsx';
import { session } from '../shell/session.ts';
import { useLoaded } from '../shell/use-loaded.ts';
import { t } from '../texts/texts.ts';

/** Adds a track to a collection of the client, or removes it from the one that is shown. */
export function AddToCollection({ slug }: { slug: string }) {
  const { data, failure } = useLoaded('own collections', (stave, signal) =>
    stave.listCollections({ pageSize: 100 }, { signal }).then(),
  );
  const outcome = useSignal('');
  const problem = useSignal<unknown>(undefined);
  const own = data?.items.filter(({ owner }) => owner) ?? [];
  const { shown } = view.value;
  const shownId = shown.list === 'collection' ? shown.of : undefined;
  const attempt = async (change: () => Promise<string>) => {
    outcome.value = '';
    problem.value = undefined;
    try {
      outcome.value = await change();
      if (shownId !== undefined) reloadList();
    } catch (error) {
      problem.value = error;
    }
  };
  const { stave } = session.peek()!;
  const add = (event: SubmitEvent) => {
    event.preventDefault();
    const form = event.currentTarget as HTMLFormElement;
    const id = (form.elements.namedItem('collection') as HTMLSelectElement).value;
    return attempt(async () => {
      const { added } = await stave.addCollectionItems({ id, items: [{ track: slug }] });
      return added.length > 0 ? t('added') : t('isThere');
    });
  };
  const remove = (id: string) =>
    attempt(async () => {
      await stave.removeCollectionItems({ id, tracks: [slug] });
      return t('removed');
    });
  return (
    <section class="section" aria-label={t('collections')}>
      <h3>{t('collections')}</h3>
      {data !== undefined && own.length === 0 && <p class="meta">{t('noneYet')}</p>}
      {own.length > 0 && (
        <form class="inline" onSubmit={add}>
          <select name="collection" aria-label={t('collection')}>
            {own.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
          <button type="submit">{t('add')}</button>
        </form>
      )}
      {shownId !== undefined && own.some(({ id }) => id === shownId) && (
        <button type="button" onClick={() => remove(shownId)}>
          {t('removeFromThis')}
        </button>
      )}
      <p class="meta" role="status">
        {outcome.value}
      </p>
      {(failure ?? problem.value) !== undefined && <Failure error={failure ?? problem.value} />}
    </section>
  );
}
