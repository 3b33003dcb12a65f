import { announce } from '../shell/announcement.tsx';
import { Icon } from '../shell/icon.tsx';
import { session } from '../shell/session.ts';
import { useIsShown } from '../shell/use-is-shown.ts';
import { t } from '../texts/texts.ts';
import { go, viewOf } from './location.ts';
import { NameSearch } from './name-search.tsx';
import { bodyOf } from './saved-query.ts';
import type { Query } from './view.ts';

/** Saves the present search under a name, and shows it then. */
export function SaveSearch({ query }: { query: Query }) {
  const isShown = useIsShown();
  const save = async (name: string) => {
    const { stave } = session.peek()!;
    const { id } = await stave.createSavedSearch({ name, search: bodyOf(query) });
    announce(t('searchSaved'));
    if (isShown()) go(viewOf({ list: 'saved-search', of: id }));
  };
  return (
    <NameSearch label={t('saveSearch')} name={query.search} submit={t('save')} save={save}>
      <Icon name="bookmark" /> <span class="only-wide">{t('save')}</span>
    </NameSearch>
  );
}
